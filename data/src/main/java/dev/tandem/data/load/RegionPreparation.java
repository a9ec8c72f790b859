package dev.tandem.data.load;

import dev.tandem.core.Region;
import dev.tandem.data.DataRecord;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Samples of which only a region goes into a batch; all of each record is read and decoded. */
public final class RegionPreparation implements RecordPreparation {

  private final RecordPreparation whole;
  private final RegionRows rows;

  public RegionPreparation(RecordPreparation whole, Region region) {
    this.whole = whole;
    rows = new RegionRows(region);
    if (rows.whole() != whole.values()) {
      throw new IllegalArgumentException(
          "a region of %s for samples of %d values".formatted(region.whole(), whole.values()));
    }
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
    return new RegionWriter();
  }

  /** For one thread. */
  private final class RegionWriter implements Writer {

    private final Writer writer = whole.writer();
    private final MemorySegment sample =
        Arena.ofAuto().allocate((long) whole.values() * Float.BYTES, Long.BYTES);

    @Override
    public void decode(DataRecord record) {
      writer.decode(record);
    }

    @Override
    public void write(long visit, long ordinal, MemorySegment input, MemorySegment target) {
      writer.write(visit, ordinal, sample, target);
      rows.copy(sample, input, Float.BYTES);
    }
  }
}
