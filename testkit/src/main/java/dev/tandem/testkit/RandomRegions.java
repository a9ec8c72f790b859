package dev.tandem.testkit;

import dev.tandem.core.Ranges;
import dev.tandem.core.Region;
import dev.tandem.core.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Tensors cut into regions at random, for tests of what is split over ranks. */
public final class RandomRegions {

  private RandomRegions() {}

  /**
   * Regions that together hold each element of a tensor once: parts of one of its dimensions, each
   * of several runs, unequal, and maybe empty.
   */
  public static List<Region> split(SplittableRandom random, Shape shape, int parts) {
    int dimension = random.nextInt(shape.extents().size());
    List<Region> regions = new ArrayList<>();
    for (Ranges ranges : split(random, shape.extents().get(dimension), parts)) {
      List<Ranges> dimensions = new ArrayList<>(Region.all(shape).dimensions());
      dimensions.set(dimension, ranges);
      regions.add(new Region(dimensions));
    }
    return regions;
  }

  /** Parts of an extent. */
  public static List<Ranges> split(SplittableRandom random, long extent, int parts) {
    List<List<Ranges>> runs = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      runs.add(new ArrayList<>());
    }
    long from = 0;
    for (int run = random.nextInt(parts); from < extent; run++) {
      long most = Math.max(1, extent / parts);
      long to = Math.min(extent, from + 1 + random.nextLong(most));
      runs.get(run % parts).add(Ranges.of(extent, from, to));
      from = to;
    }
    return runs.stream().map(each -> Ranges.joined(extent, each)).toList();
  }
}
