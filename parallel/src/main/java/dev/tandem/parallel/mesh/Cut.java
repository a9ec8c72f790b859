package dev.tandem.parallel.mesh;

import dev.tandem.core.Ranges;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How one dimension is divided among the ranks along an axis.
 *
 * @param parts what each of them has, by coordinate
 */
public record Cut(List<Ranges> parts) {

  public Cut {
    parts = List.copyOf(parts);
  }

  /** Parts that are as equal as can be, the larger ones first. */
  public static Cut even(long extent, int count) {
    return aligned(extent, 1, count);
  }

  /** The same with borders at multiples of a unit only, such as the channels of a group. */
  public static Cut aligned(long units, long unit, int count) {
    return new Cut(
        IntStream.range(0, count)
            .mapToObj(
                part ->
                    Ranges.of(
                        units * unit,
                        start(units, part, count) * unit,
                        start(units, part + 1, count) * unit))
            .toList());
  }

  private static long start(long units, int part, int count) {
    return part * (units / count) + Math.min(part, units % count);
  }

  /** What the ranks have of several dimensions that are put one after the other. */
  public static Cut joined(List<Cut> cuts) {
    long whole = cuts.stream().mapToLong(Cut::whole).sum();
    List<Ranges> parts = new ArrayList<>();
    for (int part = 0; part < cuts.getFirst().parts.size(); part++) {
      List<Ranges> ranges = new ArrayList<>();
      long offset = 0;
      for (Cut cut : cuts) {
        ranges.add(cut.parts.get(part).within(whole, offset));
        offset += cut.whole();
      }
      parts.add(Ranges.joined(whole, ranges));
    }
    return new Cut(parts);
  }

  /**
   * What the ranks have of the one dimension that several become, the last of them running fastest.
   *
   * @param before elements of the dimensions before this one
   * @param after elements of the dimensions after it
   */
  public Cut flattened(long before, long after) {
    List<Ranges> flat = new ArrayList<>();
    for (Ranges part : parts) {
      Ranges rows = part.times(after);
      List<Ranges> repeated = new ArrayList<>();
      for (long i = 0; i < before; i++) {
        repeated.add(rows.within(rows.whole() * before, rows.whole() * i));
      }
      flat.add(Ranges.joined(rows.whole() * before, repeated));
    }
    return new Cut(flat);
  }

  /** Places of the whole dimension. */
  public long whole() {
    return parts.getFirst().whole();
  }

  /** Whether every place is held by one rank, and none is a margin. */
  public boolean isDisjoint() {
    long next = 0;
    for (Ranges.Run run :
        parts.stream()
            .flatMap(part -> part.runs().stream())
            .sorted(Comparator.comparingLong(Ranges.Run::from))
            .toList()) {
      if (run.from() != next) {
        return false;
      }
      next = run.to();
    }
    return next == whole() && parts.stream().allMatch(part -> part.held() == part.extent());
  }

  /** Whether every rank has something. */
  public boolean reachesAll() {
    return parts.stream().allMatch(part -> part.extent() > 0);
  }
}
