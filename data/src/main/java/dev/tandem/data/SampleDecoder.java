package dev.tandem.data;

import dev.tandem.core.WorkFailedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * Puts Caffe Datum records into batches as normalised floats. Stateless but for a table; may be
 * shared by threads.
 */
final class SampleDecoder {

  private final ImageFormat format;
  private final float[] normalised = new float[256];

  SampleDecoder(ImageFormat format) {
    this.format = format;
    for (int value = 0; value < 256; value++) {
      normalised[value] = (float) ((value / 255.0 - format.mean()) / format.deviation());
    }
  }

  /** Decodes {@code record} as sample {@code slot} of the given buffers. */
  void decode(DataRecord record, MemorySegment images, MemorySegment labels, int slot) {
    Datum datum;
    try {
      datum = Datum.decode(record.value());
    } catch (WorkFailedException e) {
      throw new WorkFailedException("record " + text(record.key()) + ": " + e.getMessage(), e);
    }
    if (datum.channels() != format.channels()
        || datum.height() != format.height()
        || datum.width() != format.width()) {
      throw new WorkFailedException(
          "record %s is %dx%dx%d, the others are %dx%dx%d"
              .formatted(
                  text(record.key()),
                  datum.channels(),
                  datum.height(),
                  datum.width(),
                  format.channels(),
                  format.height(),
                  format.width()));
    }
    if (datum.label() < 0 || datum.label() >= format.classes()) {
      throw new WorkFailedException(
          "record %s has label %d, outside 0..%d"
              .formatted(text(record.key()), datum.label(), format.classes() - 1));
    }
    MemorySegment pixels = datum.pixels();
    int values = format.values();
    long first = (long) slot * values;
    for (int i = 0; i < values; i++) {
      images.setAtIndex(
          ValueLayout.JAVA_FLOAT,
          first + i,
          normalised[pixels.get(ValueLayout.JAVA_BYTE, i) & 0xFF]);
    }
    labels.setAtIndex(ValueLayout.JAVA_LONG, slot, datum.label());
  }

  private static String text(MemorySegment key) {
    return "'" + new String(key.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.ISO_8859_1) + "'";
  }
}
