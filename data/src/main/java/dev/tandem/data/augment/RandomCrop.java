package dev.tandem.data.augment;

import dev.tandem.data.image.Image;
import dev.tandem.data.image.PlanarImage;
import java.util.SplittableRandom;

/**
 * A part of the image at a random place. A view, not a copy, if there is no padding.
 *
 * @param padding black pixels that are put around the image first
 */
public record RandomCrop(int height, int width, int padding) implements Augmentation {

  public RandomCrop {
    Sizes.check(height, width);
    if (padding < 0) {
      throw new IllegalArgumentException("padding by " + padding);
    }
  }

  @Override
  public Image apply(Image image, SplittableRandom random) {
    Image padded = padding == 0 ? image : padded(image);
    Sizes.checkFits(padded, height, width);
    int top = random.nextInt(padded.height() - height + 1);
    int left = random.nextInt(padded.width() - width + 1);
    return padded.cut(top, left, height, width);
  }

  private Image padded(Image image) {
    int newHeight = image.height() + 2 * padding;
    int newWidth = image.width() + 2 * padding;
    byte[] pixels = new byte[image.channels() * newHeight * newWidth];
    for (int channel = 0; channel < image.channels(); channel++) {
      for (int row = 0; row < image.height(); row++) {
        int at = (channel * newHeight + row + padding) * newWidth + padding;
        image.copyRow(channel, row, pixels, at);
      }
    }
    return Image.of(new PlanarImage(image.channels(), newHeight, newWidth, pixels));
  }

  @Override
  public String toString() {
    return "random-crop=" + height + "x" + width + (padding == 0 ? "" : "+" + padding);
  }
}
