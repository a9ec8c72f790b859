package dev.tandem.parallel;

import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Transfer;
import dev.tandem.parallel.exchange.NoTransfer;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.strategy.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Meshes and plans for tests. */
final class Meshes {

  private Meshes() {}

  /** The mesh of words such as {@code height=2,filter=3}. */
  static Mesh of(String words) {
    List<Mesh.Axis> axes = new ArrayList<>();
    for (String word : words.split(",", -1)) {
      String[] sides = word.split("=", 2);
      axes.add(new Mesh.Axis(sides[0], Integer.parseInt(sides[1])));
    }
    return new Mesh(axes);
  }

  /** Transfers for plans that are only looked at. */
  static Function<Set<String>, Transfer> none(Mesh mesh, int rank) {
    return axes -> {
      List<Integer> group = mesh.group(rank, axes);
      return new NoTransfer(group.size(), group.indexOf(rank));
    };
  }

  /** The plans of all ranks. */
  static List<LocalNetwork> plans(NetworkSpec network, Mesh mesh, Strategy strategy) {
    List<LocalNetwork> plans = new ArrayList<>();
    for (int rank = 0; rank < mesh.size(); rank++) {
      plans.add(Planner.plan(network, mesh, strategy, rank, none(mesh, rank)));
    }
    return plans;
  }
}
