package dev.tandem.data.load;

import dev.tandem.data.DataRecord;
import dev.tandem.data.Datum;
import dev.tandem.data.ImageFormat;
import dev.tandem.data.RecordSource;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Records whose first two pixels spell their ordinal; the others are noise that depends on it. */
public record NumberRecords(long size, int side, Set<Long> bad) implements RecordSource {

  public static final int CLASSES = 10;

  public NumberRecords(long size, int side) {
    this(size, side, Set.of());
  }

  /** One channel of {@code side x side}, bytes as they are between 0 and 1. */
  public ImageFormat format() {
    return new ImageFormat(1, side, side, CLASSES, 0, 1);
  }

  @Override
  public DataRecord record(long ordinal) {
    if (ordinal < 0 || ordinal >= size) {
      throw new IndexOutOfBoundsException("record " + ordinal + " of " + size);
    }
    byte[] pixels = new byte[side * side];
    for (int i = 2; i < pixels.length; i++) {
      pixels[i] = (byte) (ordinal * 31 + i * 17L);
    }
    pixels[0] = (byte) (ordinal >> 8);
    pixels[1] = (byte) ordinal;
    byte[] value = Datum.of(1, side, side, (int) (ordinal % CLASSES), pixels).encode();
    byte[] key = "%08d".formatted(ordinal).getBytes(StandardCharsets.US_ASCII);
    return new DataRecord(
        MemorySegment.ofArray(key),
        MemorySegment.ofArray(bad.contains(ordinal) ? new byte[] {1} : value));
  }

  /** The records of a batch that was not augmented. */
  public static List<Long> ordinals(Batch batch) {
    List<Long> ordinals = new ArrayList<>();
    for (int i = 0; i < batch.count(); i++) {
      long values = batch.images().byteSize() / Float.BYTES / batch.count();
      long ordinal = (pixel(batch, i * values) << 8) | pixel(batch, i * values + 1);
      if (ordinal % CLASSES != batch.labels().getAtIndex(ValueLayout.JAVA_LONG, i)) {
        throw new AssertionError("label of record " + ordinal);
      }
      ordinals.add(ordinal);
    }
    return ordinals;
  }

  private static long pixel(Batch batch, long index) {
    return Math.round(batch.images().getAtIndex(ValueLayout.JAVA_FLOAT, index) * 255.0);
  }

  @Override
  public void close() {}
}
