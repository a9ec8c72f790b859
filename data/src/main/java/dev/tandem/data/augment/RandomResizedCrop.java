package dev.tandem.data.augment;

import dev.tandem.data.image.Image;
import java.util.SplittableRandom;

/**
 * A part of random area (8% to all of the image) and proportions (3:4 to 4:3) at a random place,
 * brought to one size: the usual augmentation for training on ImageNet.
 */
public record RandomResizedCrop(int height, int width) implements Augmentation {

  private static final int ATTEMPTS = 10;
  private static final double SMALLEST_AREA = 0.08;
  private static final double LOG_RATIO = StrictMath.log(4.0 / 3.0);

  public RandomResizedCrop {
    Sizes.check(height, width);
  }

  @Override
  public Image apply(Image image, SplittableRandom random) {
    double area = (double) image.height() * image.width();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      double part = area * (SMALLEST_AREA + (1 - SMALLEST_AREA) * random.nextDouble());
      // StrictMath: the same pixels on every machine.
      double ratio = StrictMath.exp(LOG_RATIO * (2 * random.nextDouble() - 1));
      int cutHeight = (int) Math.rint(StrictMath.sqrt(part / ratio));
      int cutWidth = (int) Math.rint(StrictMath.sqrt(part * ratio));
      if (cutHeight >= 1
          && cutWidth >= 1
          && cutHeight <= image.height()
          && cutWidth <= image.width()) {
        int top = random.nextInt(image.height() - cutHeight + 1);
        int left = random.nextInt(image.width() - cutWidth + 1);
        return Resize.to(image.cut(top, left, cutHeight, cutWidth), height, width);
      }
    }
    // A very long image: its largest square in the middle.
    int side = Math.min(image.height(), image.width());
    Image square = image.cut((image.height() - side) / 2, (image.width() - side) / 2, side, side);
    return Resize.to(square, height, width);
  }

  @Override
  public String toString() {
    return "random-resized-crop=" + height + "x" + width;
  }
}
