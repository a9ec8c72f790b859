package dev.tandem.data.format;

import dev.tandem.core.WorkFailedException;
import java.nio.file.Path;

/**
 * A pair of IDX files, plain or compressed with gzip, whose headers belong together.
 *
 * @param count of images, and of labels
 */
public record IdxFiles(Path images, Path labels, int count, int height, int width) {

  /** Bytes before the pixels of a plain file. */
  public static final int IMAGES_HEADER = 16;

  private static final int LABELS_HEADER = 8;

  // Two zero bytes, the type (8: unsigned bytes), the number of dimensions.
  public static final int IMAGES_MAGIC = 0x0803;
  public static final int LABELS_MAGIC = 0x0801;

  /** Larger sides come from a damaged header, not from an image. */
  private static final int MAX_SIDE = 16_384;

  /** Reads the headers, so that files that do not belong together are refused at once. */
  public static IdxFiles read(Path images, Path labels) {
    int count;
    int height;
    int width;
    try (BinaryInput input = BinaryInput.open(images)) {
      checkMagic(input, images, IMAGES_MAGIC, "images");
      count = input.bigEndianInt("its number of images");
      height = input.bigEndianInt("the height of its images");
      width = input.bigEndianInt("the width of its images");
    }
    if (count < 0 || height < 1 || width < 1 || height > MAX_SIDE || width > MAX_SIDE) {
      throw new WorkFailedException(
          "%s is damaged: its header speaks of %d images of %dx%d"
              .formatted(images, count, height, width));
    }
    try (BinaryInput input = BinaryInput.open(labels)) {
      checkMagic(input, labels, LABELS_MAGIC, "labels");
      int other = input.bigEndianInt("its number of labels");
      if (other != count) {
        throw new WorkFailedException(
            "%s has %d images and %s has %d labels: they do not belong together"
                .formatted(images, count, labels, other));
      }
    }
    return new IdxFiles(images, labels, count, height, width);
  }

  private static void checkMagic(BinaryInput input, Path file, int expected, String what) {
    int magic = input.bigEndianInt("its magic number");
    if (magic != expected) {
      throw new WorkFailedException(
          "%s is no IDX file of %s: it begins with 0x%08x, not 0x%08x"
              .formatted(file, what, magic, expected));
    }
  }

  /** The images' input, standing at the first pixel. */
  public BinaryInput openImages() {
    return openBehind(images, IMAGES_HEADER);
  }

  /** The labels' input, standing at the first label. */
  public BinaryInput openLabels() {
    return openBehind(labels, LABELS_HEADER);
  }

  private static BinaryInput openBehind(Path file, int header) {
    BinaryInput input = BinaryInput.open(file);
    input.skip(header);
    return input;
  }

  /** All pixels, unpacked if need be. */
  public byte[] readImages() {
    long bytes = (long) count * height * width;
    if (bytes > Integer.MAX_VALUE - 16) {
      throw new WorkFailedException(
          "%s holds %,d bytes, too many to unpack in memory; unpack it with gunzip"
              .formatted(images, bytes));
    }
    byte[] pixels = new byte[(int) bytes];
    try (BinaryInput input = openImages()) {
      for (int number = 0; number < count; number++) {
        input.fill(pixels, number * height * width, height * width, "image", number + 1);
      }
      input.expectEnd("its last image");
    }
    return pixels;
  }

  /** All labels. */
  public byte[] readLabels() {
    byte[] all = new byte[count];
    try (BinaryInput input = openLabels()) {
      for (int number = 0; number < count; number++) {
        all[number] = (byte) input.unsignedByte("label", number + 1);
      }
      input.expectEnd("its last label");
    }
    return all;
  }
}
