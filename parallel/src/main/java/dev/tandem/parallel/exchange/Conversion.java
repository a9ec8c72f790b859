package dev.tandem.parallel.exchange;

import dev.tandem.core.Ranges;
import dev.tandem.core.Region;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Movement;
import dev.tandem.nn.spec.Movement.Box;
import dev.tandem.nn.spec.Movement.Collective;
import dev.tandem.nn.spec.Movement.Operation;
import dev.tandem.nn.spec.Movement.Parcel;
import dev.tandem.nn.spec.Movement.Range;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.parallel.mesh.Distribution;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Way;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a rank sends and gets when a tensor changes its distribution along some axes. One algorithm
 * for all cases: rank i sends rank j what i has of what j needs. Backward the same with the two
 * distributions exchanged.
 *
 * @param shape of a whole sample
 * @param axes along which the two differ, or along which gradients are summed
 * @param sumsGradients whether the gradient of the result is the sum over the ranks
 * @param fill what stands beyond the border of the whole tensor
 */
public record Conversion(
    Mesh mesh,
    int rank,
    Shape shape,
    Distribution from,
    Distribution to,
    Set<String> axes,
    boolean sumsGradients,
    double fill) {

  public Conversion {
    axes = Set.copyOf(axes);
  }

  /** From the tensor to the result. */
  public Movement forward() {
    boolean adds = axes.stream().anyMatch(axis -> from.way(axis) instanceof Way.Sum);
    return movement(from, to, adds, fill);
  }

  /** From the gradient of the result to that of the tensor. */
  public Movement backward() {
    return movement(to, from, sumsGradients || overlaps(), 0);
  }

  private boolean overlaps() {
    return axes.stream()
        .anyMatch(axis -> to.way(axis) instanceof Way.Split split && !split.cut().isDisjoint());
  }

  private Movement movement(Distribution source, Distribution result, boolean adds, double filled) {
    List<Integer> group = mesh.group(rank, axes);
    boolean travels = travels(group, source, result, adds);
    Operation operation = adds ? Operation.ADD : Operation.COPY;
    SampleShare sourceSamples = source.samples(mesh, rank);
    SampleShare resultSamples = result.samples(mesh, rank);
    if (!travels && same(group, source, result)) {
      return Movement.identity(sourceSamples);
    }
    List<Parcel> outgoing = new ArrayList<>();
    List<Parcel> incoming = new ArrayList<>();
    for (int place = 0; place < group.size(); place++) {
      List<Pair> sent = pairs(source, rank, result, group.get(place), adds);
      List<Pair> taken = pairs(source, group.get(place), result, rank, adds);
      if (!sent.isEmpty()) {
        outgoing.add(new Parcel(place, sent.stream().map(Pair::source).toList()));
      }
      if (!taken.isEmpty()) {
        incoming.add(new Parcel(place, taken.stream().map(Pair::result).toList()));
      }
    }
    return new Movement(
        operation,
        travels ? collective(source, result, adds) : Collective.LOCAL,
        1,
        filled,
        sourceSamples,
        resultSamples,
        outgoing,
        incoming);
  }

  /** Whether any of the ranks has something for another one. */
  private boolean travels(
      List<Integer> group, Distribution source, Distribution result, boolean adds) {
    boolean everybodyHasAll = axes.stream().allMatch(axis -> isWhole(source.way(axis)));
    if (!adds && everybodyHasAll) {
      return false;
    }
    for (int one : group) {
      for (int other : group) {
        if (one != other && !pairs(source, one, result, other, adds).isEmpty()) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether all ranks have in the result what they have in the source. */
  private boolean same(List<Integer> group, Distribution source, Distribution result) {
    return group.stream()
        .allMatch(
            one ->
                source.region(shape, mesh, one).equals(result.region(shape, mesh, one))
                    && source.samples(mesh, one).equals(result.samples(mesh, one)));
  }

  private Collective collective(Distribution source, Distribution result, boolean adds) {
    boolean sourceWhole = axes.stream().allMatch(axis -> isWhole(source.way(axis)));
    boolean resultWhole = axes.stream().allMatch(axis -> isWhole(result.way(axis)));
    if (adds && sourceWhole && resultWhole) {
      return Collective.ALLREDUCE;
    }
    if (adds && sourceWhole && axes.stream().allMatch(axis -> isDivided(result.way(axis)))) {
      return Collective.REDUCE_SCATTER;
    }
    if (!adds && resultWhole && axes.stream().allMatch(axis -> isDivided(source.way(axis)))) {
      return Collective.ALLGATHER;
    }
    return Collective.EXCHANGE;
  }

  private static boolean isWhole(Way way) {
    return way instanceof Way.Whole || way instanceof Way.Sum;
  }

  private static boolean isDivided(Way way) {
    return way instanceof Way.Samples
        || (way instanceof Way.Split split && split.cut().isDisjoint());
  }

  /** The same elements in the tensors of two ranks. */
  private record Pair(Box source, Box result) {}

  /** What one rank has for another. */
  private List<Pair> pairs(
      Distribution source, int sender, Distribution result, int receiver, boolean adds) {
    if (!adds && !serves(source, sender, receiver)) {
      return List.of();
    }
    Optional<SampleShare> samples =
        both(source.samples(mesh, sender), result.samples(mesh, receiver));
    if (samples.isEmpty()) {
      return List.of();
    }
    Region has = source.region(shape, mesh, sender);
    Region needs = result.region(shape, mesh, receiver);
    List<Pair> pairs =
        List.of(new Pair(new Box(samples.get(), List.of()), new Box(samples.get(), List.of())));
    for (int i = 0; i < has.dimensions().size(); i++) {
      List<Pair> longer = new ArrayList<>();
      for (Pair pair : pairs) {
        for (Ranges.Run own : has.dimensions().get(i).runs()) {
          for (Ranges.Run needed : needs.dimensions().get(i).runs()) {
            long begin = Math.max(own.from(), needed.from());
            long end = Math.min(own.to(), needed.to());
            if (begin < end) {
              Range here = new Range(own.at() + begin - own.from(), end - begin);
              Range there = new Range(needed.at() + begin - needed.from(), end - begin);
              longer.add(new Pair(and(pair.source, here), and(pair.result, there)));
            }
          }
        }
      }
      pairs = longer;
    }
    return pairs;
  }

  /** Where several ranks have the same, each takes its own. */
  private boolean serves(Distribution source, int sender, int receiver) {
    return axes.stream()
        .allMatch(
            axis ->
                !isWhole(source.way(axis))
                    || mesh.coordinate(sender, axis) == mesh.coordinate(receiver, axis));
  }

  private static Optional<SampleShare> both(SampleShare one, SampleShare other) {
    boolean oneIsFiner = one.parts() > other.parts();
    SampleShare finer = oneIsFiner ? one : other;
    SampleShare coarser = oneIsFiner ? other : one;
    boolean within = (long) finer.part() * coarser.parts() / finer.parts() == coarser.part();
    return within ? Optional.of(finer) : Optional.empty();
  }

  private static Box and(Box box, Range range) {
    List<Range> ranges = new ArrayList<>(box.ranges());
    ranges.add(range);
    return new Box(box.samples(), ranges);
  }
}
