package dev.tandem.data.importing;

import dev.tandem.core.WorkFailedException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * MNIST, Fashion-MNIST and whatever else comes as a pair of IDX files, plain or compressed with
 * gzip. Keys and messages as Caffe's {@code convert_mnist_data} writes them.
 */
public final class IdxImporter implements Importer {

  // Two zero bytes, the type (8: unsigned bytes), the number of dimensions.
  static final int IMAGES_MAGIC = 0x0803;
  static final int LABELS_MAGIC = 0x0801;

  /** Larger sides come from a damaged header, not from an image. */
  private static final int MAX_SIDE = 16_384;

  private final Path images;
  private final Path labels;
  private final int count;
  private final int height;
  private final int width;

  /** Reads the headers, so that files that do not belong together are refused at once. */
  public IdxImporter(Path images, Path labels) {
    this.images = images;
    this.labels = labels;
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
  }

  private static void checkMagic(BinaryInput input, Path file, int expected, String what) {
    int magic = input.bigEndianInt("its magic number");
    if (magic != expected) {
      throw new WorkFailedException(
          "%s is no IDX file of %s: it begins with 0x%08x, not 0x%08x"
              .formatted(file, what, magic, expected));
    }
  }

  @Override
  public OptionalLong count() {
    return OptionalLong.of(count);
  }

  @Override
  public void importTo(RecordSink sink) {
    DatumMessage datum = new DatumMessage();
    int pixels = height * width;
    try (BinaryInput imageInput = BinaryInput.open(images);
        BinaryInput labelInput = BinaryInput.open(labels)) {
      imageInput.skip(16);
      labelInput.skip(8);
      for (int number = 0; number < count; number++) {
        datum.begin(1, height, width);
        imageInput.fill(datum.buffer(), datum.dataAt(), pixels, "image", number + 1);
        datum.dataDone(pixels);
        datum.label(labelInput.unsignedByte("label", number + 1));
        sink.put(MemorySegment.ofArray(Keys.padded(number, 8)), datum.message());
      }
      imageInput.expectEnd("its last image");
      labelInput.expectEnd("its last label");
    }
  }
}
