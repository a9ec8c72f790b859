package dev.tandem.data.augment;

import dev.tandem.data.image.Image;
import java.util.SplittableRandom;

/** Exchanges left and right in every second image; a view, not a copy. */
public record RandomFlip() implements Augmentation {

  @Override
  public Image apply(Image image, SplittableRandom random) {
    return random.nextBoolean() ? image.mirror() : image;
  }

  @Override
  public String toString() {
    return "flip";
  }
}
