package dev.tandem.data.load;

import dev.tandem.core.Ranges;
import dev.tandem.core.Region;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * What a region holds of a tensor, as rows: neighbouring elements of the whole tensor that are
 * neighbours in the local one, too. Both are row-major. Immutable.
 */
public final class RegionRows {

  /**
   * Neighbouring elements.
   *
   * @param from the first in the whole tensor
   * @param at the first in the local tensor
   */
  record Row(long from, long at, long length) {}

  private final Region region;
  private final List<Row> rows = new ArrayList<>();
  private final boolean gaps;

  /** The longest rows there are. */
  public RegionRows(Region region) {
    this(region, 0);
  }

  /** Rows within one place of each of the first dimensions, so many of them. */
  RegionRows(Region region, int apart) {
    this.region = region;
    List<Ranges> dimensions = region.dimensions();
    // Behind this dimension everything is held: its runs are rows.
    int joined = dimensions.size() - 1;
    long behind = 1;
    while (joined > apart && dimensions.get(joined).isAll()) {
      behind *= dimensions.get(joined).whole();
      joined--;
    }
    if (dimensions.isEmpty()) {
      rows.add(new Row(0, 0, 1));
    } else if (joined < apart) {
      each(0, dimensions.size(), 0, 0, 1);
    } else {
      each(0, joined, 0, 0, behind);
    }
    gaps = rows.stream().mapToLong(Row::length).sum() < local();
  }

  /** Adds the rows from a dimension on; those before the last are gone through place by place. */
  private void each(int dimension, int last, long from, long at, long behind) {
    if (dimension == region.dimensions().size()) {
      rows.add(new Row(from, at, behind));
      return;
    }
    Ranges ranges = region.dimensions().get(dimension);
    for (Ranges.Run run : ranges.runs()) {
      if (dimension == last) {
        rows.add(
            new Row(
                (from * ranges.whole() + run.from()) * behind,
                (at * ranges.extent() + run.at()) * behind,
                run.length() * behind));
        continue;
      }
      for (long i = 0; i < run.length(); i++) {
        each(
            dimension + 1,
            last,
            from * ranges.whole() + run.from() + i,
            at * ranges.extent() + run.at() + i,
            behind);
      }
    }
  }

  List<Row> rows() {
    return rows;
  }

  /** Elements of the whole tensor. */
  public long whole() {
    return region.whole().elements();
  }

  /** Elements of the local tensor. */
  public long local() {
    return region.local().elements();
  }

  /** Whether the local tensor has places that hold nothing of the whole one. */
  boolean gaps() {
    return gaps;
  }

  /**
   * Copies what the region holds; other places become 0.
   *
   * @param elementBytes of both tensors
   */
  public void copy(MemorySegment whole, MemorySegment local, int elementBytes) {
    if (gaps) {
      local.asSlice(0, local() * elementBytes).fill((byte) 0);
    }
    for (Row row : rows) {
      MemorySegment.copy(
          whole, row.from * elementBytes, local, row.at * elementBytes, row.length * elementBytes);
    }
  }
}
