package dev.tandem.ensemble.drive;

import dev.tandem.data.DataRecord;
import dev.tandem.data.load.RecordPreparation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.locks.LockSupport;

/**
 * Samples whose label is the number of their record, and that take as long as is given to prepare.
 *
 * @param nanos of a sample
 */
record PausingPreparation(long nanos) implements RecordPreparation {

  @Override
  public int values() {
    return 64;
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
        LockSupport.parkNanos(nanos);
      }

      @Override
      public void write(long visit, long ordinal, MemorySegment input, MemorySegment target) {
        input.fill((byte) 0);
        target.set(ValueLayout.JAVA_LONG, 0, ordinal);
      }
    };
  }
}
