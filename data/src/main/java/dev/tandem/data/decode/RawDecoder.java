package dev.tandem.data.decode;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.image.Image;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Records of nothing but bytes of a known shape, channel by channel, not copied. */
public record RawDecoder(int channels, int height, int width, LabelPlace label)
    implements SampleDecoder {

  /** Where a raw record has its class. */
  public enum LabelPlace {
    /** Nowhere; all are of class 0. */
    NONE(0),
    /** One byte before the pixels, as CIFAR-10 has it. */
    FIRST_BYTE(1),
    /** One byte behind the pixels. */
    LAST_BYTE(1);

    private final int bytes;

    LabelPlace(int bytes) {
      this.bytes = bytes;
    }
  }

  @Override
  public Sample decode(DataRecord record) {
    MemorySegment value = record.value();
    long pixels = (long) channels * height * width;
    if (value.byteSize() != pixels + label.bytes) {
      throw new WorkFailedException(
          "%,d bytes are not %dx%dx%d pixels with %d bytes of label"
              .formatted(value.byteSize(), channels, height, width, label.bytes));
    }
    return switch (label) {
      case NONE -> new Sample(image(value), 0);
      case FIRST_BYTE -> new Sample(image(value.asSlice(1)), unsigned(value, 0));
      case LAST_BYTE -> new Sample(image(value.asSlice(0, pixels)), unsigned(value, pixels));
    };
  }

  private Image image(MemorySegment pixels) {
    return Image.of(pixels, channels, height, width);
  }

  private static int unsigned(MemorySegment value, long at) {
    return value.get(ValueLayout.JAVA_BYTE, at) & 0xFF;
  }
}
