package dev.tandem.oracle.measure;

import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.nn.spec.Transfer;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.Planner;
import dev.tandem.parallel.StrategyText;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.strategy.Strategy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the ranks compute in one turn: their parts of a network, of some samples.
 *
 * @param inner along which layers are split; of one rank for whole layers
 * @param passes between two updates
 */
record LayerItem(String name, NetworkSpec network, Mesh inner, int samples, int passes) {

  /** Pieces of a batch in a pipeline, if nobody says otherwise. */
  private static final int PIECES = 8;

  /** Strategies that {@code all} stands for, besides whole layers. */
  private static final List<String> SPLITS = List.of("spatial", "filter", "channel", "alternate");

  /** All turns of a request, the small ones first. */
  static List<LayerItem> of(ProfileRequest request, int ranks) {
    List<LayerItem> items = new ArrayList<>();
    for (ProfileRequest.Named named : request.networks()) {
      NetworkSpec network = NetworkYaml.parse(named.name(), named.yaml());
      Set<Integer> whole = new TreeSet<>(request.samples());
      Set<Mesh> inner = new LinkedHashSet<>();
      for (String text : request.strategies()) {
        if (text.equals("all")) {
          SPLITS.forEach(word -> inner.addAll(possible(word, network, ranks)));
          whole.addAll(pieces(request.samples()));
        } else {
          StrategyText strategy = StrategyText.parse(text);
          inner.add(inner(strategy, network, ranks));
          whole.addAll(strategy.pipelined() ? pieces(request.samples()) : List.of());
        }
      }
      inner.remove(new Mesh(List.of()));
      for (int samples : whole) {
        int passes = request.samples().contains(samples) ? 1 : PIECES;
        items.add(new LayerItem(named.name(), network, new Mesh(List.of()), samples, passes));
      }
      for (int samples : new TreeSet<>(request.samples())) {
        inner.forEach(mesh -> items.add(new LayerItem(named.name(), network, mesh, samples, 1)));
      }
    }
    return items;
  }

  /** Of tiny networks, in all ways. */
  static List<LayerItem> tiny(int ranks) {
    List<LayerItem> items = new ArrayList<>();
    for (NetworkSpec network : List.of(TinyNetworks.images(), TinyNetworks.tokens())) {
      items.add(new LayerItem("tiny", network, new Mesh(List.of()), 2, 1));
      for (String word : SPLITS) {
        for (Mesh mesh : possible(word, network, ranks)) {
          items.add(new LayerItem("tiny", network, mesh, 2, 1));
        }
      }
    }
    return items;
  }

  private static List<Integer> pieces(List<Integer> samples) {
    return samples.stream().map(count -> Math.max(1, count / PIECES)).toList();
  }

  /** Groups of any size that the ranks can be divided into. */
  private static List<Mesh> possible(String word, NetworkSpec network, int ranks) {
    List<Mesh> meshes = new ArrayList<>();
    for (int size = 2; size <= ranks; size++) {
      if (ranks % size == 0) {
        try {
          Mesh mesh = inner(StrategyText.parse(word + "=" + size), network, size);
          var _ = plan(network, mesh, 0);
          meshes.add(mesh);
        } catch (UsageException e) {
          // Not for this network, such as space for rows of numbers.
        }
      }
    }
    return meshes;
  }

  private static Mesh inner(StrategyText strategy, NetworkSpec network, int ranks) {
    int fitting = strategy.sized() ? strategy.leastRanks() : ranks;
    return new Mesh(strategy.mesh(fitting, network.input().extents().size() - 1).inner());
  }

  private static LocalNetwork plan(NetworkSpec network, Mesh inner, int rank) {
    return inner.axes().isEmpty()
        ? LocalNetwork.undivided(network)
        : Planner.plan(network, inner, Strategy.USUAL, rank, axes -> transfer(inner, rank, axes));
  }

  private static Transfer transfer(Mesh mesh, int rank, Set<String> axes) {
    List<Integer> members = mesh.group(rank, axes);
    return new IdleTransfer(members.size(), members.indexOf(rank));
  }

  /** What a rank computes. */
  LocalNetwork plan(int rank) {
    return plan(network, inner, rank % inner.size());
  }

  @Override
  public String toString() {
    return "%s %s, %d samples"
        .formatted(name, inner.axes().isEmpty() ? "whole" : inner.toString(), samples);
  }
}
