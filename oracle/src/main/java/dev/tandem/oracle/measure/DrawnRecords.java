package dev.tandem.oracle.measure;

import dev.tandem.core.Shape;
import dev.tandem.data.DataRecord;
import dev.tandem.data.Datum;
import dev.tandem.data.RecordSource;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * Random images in memory, for runs that are measured: nothing is read, and little is decoded.
 *
 * @param size number of records
 * @param shape of an image
 * @param classes of the labels
 */
public record DrawnRecords(long size, Shape shape, int classes) implements RecordSource {

  /** As many are drawn; the others are the same again. */
  private static final int DIFFERENT = 64;

  @Override
  public DataRecord record(long ordinal) {
    int number = (int) (ordinal % DIFFERENT);
    byte[] pixels = new byte[Math.toIntExact(shape.elements())];
    new SplittableRandom(number).nextBytes(pixels);
    byte[] key = ByteBuffer.allocate(Long.BYTES).putLong(ordinal).array();
    long[] extents = shape.toArray();
    byte[] value =
        Datum.of((int) extents[0], (int) extents[1], (int) extents[2], number % classes, pixels)
            .encode();
    return new DataRecord(MemorySegment.ofArray(key), MemorySegment.ofArray(value));
  }

  @Override
  public void close() {}
}
