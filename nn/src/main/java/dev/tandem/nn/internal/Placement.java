package dev.tandem.nn.internal;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Movement.Box;
import dev.tandem.nn.spec.Movement.Parcel;
import dev.tandem.nn.spec.Movement.Range;
import dev.tandem.nn.spec.SampleShare;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Where what arrives goes in a result, so that each place is written as seldom as can be: what
 * comes first to a place is copied, only what comes later is added, and only places to which
 * nothing comes are filled. The sums are those of adding everything to zeros in the parcels' order.
 * If nothing is to be added, several ranks may have the same for a place; the first is taken.
 *
 * @param parcels in their order
 * @param rest boxes of the result to which nothing comes
 */
record Placement(List<Placed> parcels, List<Box> rest) {

  /** What one rank sends. */
  record Placed(Parcel parcel, List<List<Piece>> boxes) {

    Placed {
      boxes = List.copyOf(boxes);
    }
  }

  /**
   * A piece of a box that arrives.
   *
   * @param target its place in the result
   * @param within its place in the box
   * @param adds whether something came to that place before
   */
  record Piece(Box target, List<Range> within, boolean adds) {}

  Placement {
    parcels = List.copyOf(parcels);
    rest = List.copyOf(rest);
  }

  /**
   * The placement of these parcels.
   *
   * @param shape of a sample of the result
   * @param samples of the result
   * @param adds whether what comes to the same place is added up
   */
  static Placement of(List<Parcel> parcels, Shape shape, SampleShare samples, boolean adds) {
    Map<SampleShare, List<List<Range>>> reached = new HashMap<>();
    List<Placed> placed = new ArrayList<>();
    for (Parcel parcel : parcels) {
      List<List<Piece>> boxes = new ArrayList<>();
      for (Box box : parcel.boxes()) {
        List<List<Range>> before = reached.computeIfAbsent(box.samples(), _ -> new ArrayList<>());
        boxes.add(pieces(box, before, adds));
      }
      placed.add(new Placed(parcel, boxes));
    }
    List<Range> whole = shape.extents().stream().map(extent -> new Range(0, extent)).toList();
    List<Box> rest = new ArrayList<>();
    for (SampleShare share : shares(samples, reached)) {
      List<List<Range>> free = List.of(whole);
      for (List<Range> each : reached.getOrDefault(share, List.of())) {
        free = without(free, each);
      }
      free.forEach(ranges -> rest.add(new Box(share, ranges)));
    }
    return new Placement(placed, rest);
  }

  /** Cuts a box where something came before, and counts it as come. */
  private static List<Piece> pieces(Box box, List<List<Range>> reached, boolean adds) {
    List<Piece> pieces = new ArrayList<>();
    List<List<Range>> first = List.of(box.ranges());
    for (List<Range> before : reached) {
      List<Range> common = common(box.ranges(), before);
      if (!common.isEmpty() && adds) {
        pieces.add(piece(box, common, true));
      }
      first = without(first, before);
    }
    first.forEach(ranges -> pieces.add(piece(box, ranges, false)));
    reached.addAll(first);
    return pieces;
  }

  private static Piece piece(Box box, List<Range> target, boolean adds) {
    List<Range> within = new ArrayList<>();
    for (int i = 0; i < target.size(); i++) {
      long start = target.get(i).start() - box.ranges().get(i).start();
      within.add(new Range(start, target.get(i).length()));
    }
    return new Piece(new Box(box.samples(), target), within, adds);
  }

  /** The parts of the samples in which boxes come: all of the result's together. */
  private static List<SampleShare> shares(
      SampleShare samples, Map<SampleShare, List<List<Range>>> reached) {
    if (reached.isEmpty() || reached.keySet().equals(Set.of(samples))) {
      return List.of(samples);
    }
    int parts = reached.keySet().iterator().next().parts();
    if (parts % samples.parts() != 0
        || reached.keySet().stream().anyMatch(each -> each.parts() != parts)) {
      throw new IllegalArgumentException(
          "boxes of the samples %s in a result of %s".formatted(reached.keySet(), samples));
    }
    List<SampleShare> shares = new ArrayList<>();
    int each = parts / samples.parts();
    for (int part = samples.part() * each; part < (samples.part() + 1) * each; part++) {
      shares.add(new SampleShare(part, parts));
    }
    return shares;
  }

  /** What is in both; empty if nothing is. */
  private static List<Range> common(List<Range> one, List<Range> other) {
    List<Range> common = new ArrayList<>();
    for (int i = 0; i < one.size(); i++) {
      long start = Math.max(one.get(i).start(), other.get(i).start());
      long end = Math.min(end(one.get(i)), end(other.get(i)));
      if (start >= end) {
        return List.of();
      }
      common.add(new Range(start, end - start));
    }
    return common;
  }

  /** What remains of boxes without another: as few boxes as a cut along each dimension gives. */
  private static List<List<Range>> without(List<List<Range>> boxes, List<Range> taken) {
    List<List<Range>> rest = new ArrayList<>();
    for (List<Range> box : boxes) {
      List<Range> common = common(box, taken);
      if (common.isEmpty()) {
        rest.add(box);
        continue;
      }
      List<Range> inside = new ArrayList<>(box);
      for (int i = 0; i < box.size(); i++) {
        Range all = box.get(i);
        Range kept = common.get(i);
        add(rest, inside, i, new Range(all.start(), kept.start() - all.start()));
        add(rest, inside, i, new Range(end(kept), end(all) - end(kept)));
        inside.set(i, kept);
      }
    }
    return rest;
  }

  private static void add(List<List<Range>> boxes, List<Range> box, int dimension, Range range) {
    if (range.length() > 0) {
      List<Range> part = new ArrayList<>(box);
      part.set(dimension, range);
      boxes.add(part);
    }
  }

  private static long end(Range range) {
    return range.start() + range.length();
  }
}
