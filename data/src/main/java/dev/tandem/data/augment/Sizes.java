package dev.tandem.data.augment;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.image.Image;

/** Checks of sizes that several augmentations share. */
final class Sizes {

  private static final int LARGEST = 1 << 14;

  private Sizes() {}

  static void check(int height, int width) {
    if (height < 1 || width < 1 || height > LARGEST || width > LARGEST) {
      throw new UsageException(
          "images of %dx%d: a side is 1 to %,d".formatted(height, width, LARGEST));
    }
  }

  static void checkFits(Image image, int height, int width) {
    if (image.height() < height || image.width() < width) {
      throw new WorkFailedException(
          "it is %dx%d, too small to cut %dx%d out of it; resize first"
              .formatted(image.height(), image.width(), height, width));
    }
  }
}
