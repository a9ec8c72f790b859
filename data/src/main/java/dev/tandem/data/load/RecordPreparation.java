package dev.tandem.data.load;

import dev.tandem.data.DataRecord;
import java.lang.foreign.MemorySegment;

/**
 * What becomes of a record on its way into a batch: {@link Preparation} for images, {@link
 * ArrayPreparation} for arrays. Used by several threads at once.
 */
public interface RecordPreparation {

  /** Numbers, float32, of the input of one sample. */
  int values();

  /** Bytes of the target of one sample: a label is an int64, values are float32. */
  int targetBytes();

  /** Makes samples for one thread. */
  Writer writer();

  /**
   * Makes one sample after the other. A bad record is a {@link
   * dev.tandem.core.WorkFailedException}. For one thread.
   */
  interface Writer {

    /** Takes a record, which stays valid until {@link #write} is done. */
    void decode(DataRecord record);

    /**
     * Writes the sample of the record that was decoded last.
     *
     * @param visit which of the passes over the data set this is
     * @param ordinal of the record
     * @param input of {@link #values} float32 numbers
     * @param target of {@link #targetBytes} bytes
     */
    void write(long visit, long ordinal, MemorySegment input, MemorySegment target);
  }
}
