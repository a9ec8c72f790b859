package dev.tandem.data.share;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.load.RecordPreparation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Samples that say which record and which visit they are; counts how many were made.
 *
 * @param values of the input
 * @param made how many
 */
record NumberPreparation(int values, AtomicLong made) implements RecordPreparation {

  NumberPreparation(int values) {
    this(values, new AtomicLong());
  }

  @Override
  public int targetBytes() {
    return Long.BYTES;
  }

  @Override
  public Writer writer() {
    return new Writer() {
      @Override
      public void decode(DataRecord record) {
        if (record.value().byteSize() == 1) {
          throw new WorkFailedException("it is bad");
        }
      }

      @Override
      public void write(long visit, long ordinal, MemorySegment input, MemorySegment target) {
        made.incrementAndGet();
        for (int i = 0; i < values; i++) {
          input.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) visit * 1000 + i);
        }
        target.set(ValueLayout.JAVA_LONG, 0, ordinal);
      }
    };
  }
}
