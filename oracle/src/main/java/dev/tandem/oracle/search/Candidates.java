package dev.tandem.oracle.search;

import dev.tandem.oracle.projection.Candidate;
import dev.tandem.oracle.projection.Candidate.Stages;
import dev.tandem.oracle.projection.Workload;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Mesh.Axis;
import dev.tandem.parallel.shard.ShardStage;
import dev.tandem.parallel.stage.Schedule;
import dev.tandem.parallel.strategy.SpaceOptions;
import dev.tandem.parallel.strategy.Strategy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** All ways to split a workload over a number of devices. Immutable. */
final class Candidates {

  private static final List<String> SPACE = List.of("depth", "height", "width");

  private static final List<String> WEIGHTS = List.of("filter", "channel", "alternate");

  /** After parts of space have come together, each rank has some of the samples. */
  private static final Strategy TO_SAMPLES =
      Strategy.USUAL.withSpace(new SpaceOptions(Optional.empty(), true, 0, 1));

  private final Workload workload;
  private final Limits limits;

  Candidates(Workload workload, Limits limits) {
    this.workload = workload;
    this.limits = limits;
  }

  /** Those that use exactly so many devices and that nothing known forbids. */
  List<Candidate> over(int devices) {
    List<Candidate> candidates = new ArrayList<>();
    for (int stages : divisors(devices, limits.of(Mesh.PIPELINE).most())) {
      for (int data : divisors(devices / stages, workload.batch())) {
        int inner = devices / stages / data;
        for (List<Axis> axes : inner(inner)) {
          List<Axis> all = new ArrayList<>();
          all.add(new Axis(Mesh.PIPELINE, stages));
          all.add(new Axis(Mesh.DATA, data));
          all.addAll(axes);
          variants(Mesh.of(all.toArray(Axis[]::new)), candidates);
        }
      }
    }
    return candidates;
  }

  /** The inner axes with so many ranks together. */
  private List<List<Axis>> inner(int ranks) {
    if (ranks == 1) {
      return List.of(List.of());
    }
    List<List<Axis>> all = new ArrayList<>();
    for (String word : WEIGHTS) {
      if (ranks <= limits.of(word).most()) {
        all.add(List.of(new Axis(word, ranks)));
      }
    }
    grids(axesOfSpace(), ranks, ranks, List.of(), all);
    return all;
  }

  /** Those that can be split, the longest first; of equal ones the outermost. */
  private List<String> axesOfSpace() {
    return SPACE.stream()
        .filter(axis -> limits.of(axis).most() > 1)
        .sorted(Comparator.comparingLong(axis -> -limits.of(axis).most()))
        .toList();
  }

  /**
   * Parts that are nearly cubes have the least surface: an axis is not split more than those before
   * it.
   */
  private void grids(
      List<String> names, int ranks, int most, List<Axis> begun, List<List<Axis>> all) {
    if (ranks == 1) {
      List<Axis> axes = new ArrayList<>(begun);
      axes.sort(Comparator.comparingInt(axis -> SPACE.indexOf(axis.name())));
      all.add(axes);
      return;
    }
    if (names.isEmpty()) {
      return;
    }
    String axis = names.getFirst();
    for (int size : divisors(ranks, Math.min(most, limits.of(axis).most()))) {
      if (size > 1) {
        List<Axis> longer = new ArrayList<>(begun);
        longer.add(new Axis(axis, size));
        grids(names.subList(1, names.size()), ranks / size, size, longer, all);
      }
    }
  }

  private void variants(Mesh mesh, List<Candidate> all) {
    Candidate plain = Candidate.of(mesh);
    List<Candidate> ways = new ArrayList<>(List.of(plain));
    boolean space = mesh.inner().stream().anyMatch(axis -> SPACE.contains(axis.name()));
    int inner = mesh.inner().stream().mapToInt(Axis::size).reduce(1, Math::multiplyExact);
    if (space && samples(mesh) >= inner) {
      ways.add(plain.with(TO_SAMPLES));
    }
    for (Candidate way : ways) {
      if (mesh.size(Mesh.PIPELINE) > 1) {
        stages(mesh).forEach(stages -> all.add(way.with(stages)));
      } else {
        all.add(way);
      }
      if (mesh.size(Mesh.DATA) > 1 && !workload.inference()) {
        for (ShardStage stage : ShardStage.values()) {
          all.add(way.sharding(stage));
        }
      }
    }
  }

  private int samples(Mesh mesh) {
    return Math.ceilDiv(workload.batch(), mesh.size(Mesh.DATA));
  }

  /** Both schedules with the usual number of pieces and multiples of the stages. */
  private List<Stages> stages(Mesh mesh) {
    int count = mesh.size(Mesh.PIPELINE);
    Set<Integer> pieces = new TreeSet<>();
    for (int wanted : List.of(Stages.USUAL.pieces(), count, 2 * count, 4 * count)) {
      pieces.add(Math.min(wanted, samples(mesh)));
    }
    List<Stages> all = new ArrayList<>();
    for (int each : pieces) {
      all.add(new Stages(new Schedule.OneForwardOneBackward(), each, false));
      all.add(new Stages(new Schedule.Gpipe(), each, false));
    }
    return all;
  }

  private static List<Integer> divisors(int number, long most) {
    return IntStream.rangeClosed(1, (int) Math.min(number, most))
        .filter(divisor -> number % divisor == 0)
        .boxed()
        .toList();
  }
}
