package dev.tandem.data.load;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.ImageFormat;
import dev.tandem.data.decode.Sample;
import dev.tandem.data.image.Image;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Makes samples of images. For one thread. */
final class ImageWriter implements RecordPreparation.Writer {

  private final Preparation preparation;
  private final ImageFormat format;
  private final List<float[]> tables;
  private Sample sample;
  private byte[] bytes = new byte[0];

  ImageWriter(Preparation preparation) {
    this.preparation = preparation;
    this.format = preparation.format();
    this.tables = preparation.normalisation().tables(format.channels());
  }

  @Override
  public void decode(DataRecord record) {
    sample = preparation.decoder().decode(record);
  }

  @Override
  public void write(long visit, long ordinal, MemorySegment input, MemorySegment target) {
    Image image =
        preparation
            .augmentation()
            .apply(sample.image(), preparation.seed().derive(visit).derive(ordinal).random());
    check(image, sample.label());
    normalise(image, input);
    target.set(ValueLayout.JAVA_LONG, 0, sample.label());
  }

  private void check(Image image, int label) {
    if (image.channels() != format.channels()
        || image.height() != format.height()
        || image.width() != format.width()) {
      throw new WorkFailedException(
          "it is %dx%dx%d, the others are %dx%dx%d"
              .formatted(
                  image.channels(),
                  image.height(),
                  image.width(),
                  format.channels(),
                  format.height(),
                  format.width()));
    }
    if (label < 0 || label >= format.classes()) {
      throw new WorkFailedException(
          "it has label %d, outside 0..%d".formatted(label, format.classes() - 1));
    }
  }

  private void normalise(Image image, MemorySegment target) {
    int plane = format.height() * format.width();
    if (bytes.length < plane) {
      bytes = new byte[plane];
    }
    for (int channel = 0; channel < format.channels(); channel++) {
      image.copyPlane(channel, bytes, 0);
      long at = (long) channel * plane * Float.BYTES;
      lookUp(bytes, tables.get(channel), target.asSlice(at, (long) plane * Float.BYTES), plane);
    }
  }

  /**
   * Puts the float of every byte into the target. With a table of known length, from the lowest
   * byte to the highest, the compiler leaves out all checks and masks.
   */
  private static void lookUp(byte[] bytes, float[] unsigned, MemorySegment target, int count) {
    float[] table = new float[256];
    System.arraycopy(unsigned, 0, table, 128, 128);
    System.arraycopy(unsigned, 128, table, 0, 128);
    for (int i = 0; i < count; i++) {
      target.setAtIndex(ValueLayout.JAVA_FLOAT, i, table[bytes[i] + 128]);
    }
  }
}
