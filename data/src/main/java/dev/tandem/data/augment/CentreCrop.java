package dev.tandem.data.augment;

import dev.tandem.data.image.Image;
import java.util.SplittableRandom;

/** The middle of the image; a view, not a copy. */
public record CentreCrop(int height, int width) implements Augmentation {

  public CentreCrop {
    Sizes.check(height, width);
  }

  @Override
  public Image apply(Image image, SplittableRandom random) {
    Sizes.checkFits(image, height, width);
    return image.cut((image.height() - height) / 2, (image.width() - width) / 2, height, width);
  }

  @Override
  public String toString() {
    return "crop=" + height + "x" + width;
  }
}
