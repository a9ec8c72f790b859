package dev.tandem.data.augment;

import dev.tandem.data.image.Image;
import java.util.SplittableRandom;

/** Bilinear, to one size for all images. */
public record Resize(int height, int width) implements Augmentation {

  public Resize {
    Sizes.check(height, width);
  }

  @Override
  public Image apply(Image image, SplittableRandom random) {
    return to(image, height, width);
  }

  /** The image itself if it has that size already. */
  static Image to(Image image, int height, int width) {
    if (image.height() == height && image.width() == width) {
      return image;
    }
    return Image.of(image.planar().resized(height, width));
  }

  @Override
  public String toString() {
    return "resize=" + height + "x" + width;
  }
}
