package dev.tandem.data.augment;

import dev.tandem.data.image.Image;
import java.util.SplittableRandom;

/** Bilinear, so that the shorter side gets this size and the proportions stay. */
public record ResizeShorter(int side) implements Augmentation {

  public ResizeShorter {
    Sizes.check(side, side);
  }

  @Override
  public Image apply(Image image, SplittableRandom random) {
    int height = image.height();
    int width = image.width();
    int shorter = Math.min(height, width);
    return Resize.to(image, scaled(height, shorter), scaled(width, shorter));
  }

  private int scaled(int size, int shorter) {
    return (int) (((long) size * side + shorter / 2) / shorter);
  }

  @Override
  public String toString() {
    return "shorter=" + side;
  }
}
