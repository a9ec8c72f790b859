package dev.tandem.data.load;

import dev.tandem.core.Ranges;
import dev.tandem.core.Region;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.ArrayRecord;
import dev.tandem.data.DataRecord;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes a region of each sample out of arrays of which only that region is read: from a {@link
 * dev.tandem.data.PartialSource} with {@link #parts}.
 */
public final class PartialArrays implements RecordPreparation {

  /** Gaps that are read along: storage gives no less. */
  private static final long GAP = 4096;

  private final ArrayPreparation whole;
  private final RegionRows rows;
  private final ArrayRecord.Header first;
  private final Ranges parts;

  /** Where each row begins among the elements that are read. */
  private final long[] starts;

  /**
   * Samples of a region.
   *
   * @param first the beginning of a record; all others are like it, or bad
   */
  PartialArrays(ArrayPreparation whole, Region region, ArrayRecord.Header first) {
    this.whole = whole;
    this.first = first;
    rows = whole.rows(region);
    int each = first.elementBytes();
    List<Ranges.Run> runs = new ArrayList<>();
    runs.add(new Ranges.Run(0, 0, first.bytes()));
    starts = new long[rows.rows().size()];
    for (int i = 0; i < starts.length; i++) {
      RegionRows.Row row = rows.rows().get(i);
      long from = first.bytes() + row.from() * each;
      Ranges.Run last = runs.getLast();
      if (from >= last.to() && from - last.to() < GAP) {
        last = new Ranges.Run(last.from(), last.at(), from + row.length() * each - last.from());
        runs.set(runs.size() - 1, last);
      } else {
        last = new Ranges.Run(from, last.at() + last.length(), row.length() * each);
        runs.add(last);
      }
      starts[i] = last.at() + from - last.from();
    }
    Ranges.Run last = runs.getLast();
    parts = new Ranges(first.bytes() + rows.whole() * each, last.at() + last.length(), runs);
  }

  /** The bytes of each value that are needed. */
  public Ranges parts() {
    return parts;
  }

  @Override
  public int values() {
    return Math.toIntExact(rows.local());
  }

  @Override
  public int targetBytes() {
    return whole.targetBytes();
  }

  @Override
  public Writer writer() {
    return new PartWriter();
  }

  /** For one thread. */
  private final class PartWriter implements Writer {

    private final long perChannel = whole.values() / whole.shape().getFirst();
    private MemorySegment value;
    private ArrayRecord.Header header;

    @Override
    public void decode(DataRecord record) {
      value = record.value();
      if (value.byteSize() != parts.extent()) {
        throw new WorkFailedException(
            "it is not as long as the first record, %,d bytes".formatted(parts.whole()));
      }
      header = ArrayRecord.Header.decode(value);
      whole.check(header);
      if (header.bytes() != first.bytes() || header.elementBytes() != first.elementBytes()) {
        throw new WorkFailedException("its elements are of another kind than the first record's");
      }
    }

    @Override
    public void write(long visit, long ordinal, MemorySegment input, MemorySegment target) {
      if (rows.gaps()) {
        input.fill((byte) 0);
      }
      for (int i = 0; i < starts.length; i++) {
        RegionRows.Row row = rows.rows().get(i);
        int channel = (int) (row.from() / perChannel);
        MemorySegment elements = value.asSlice(starts[i]);
        whole.write(elements, header.elementsAreBytes(), 0, channel, row, input);
      }
      whole.writeTarget(header, target);
    }
  }
}
