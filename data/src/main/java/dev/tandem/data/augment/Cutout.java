package dev.tandem.data.augment;

import dev.tandem.core.UsageException;
import dev.tandem.data.image.Image;
import dev.tandem.data.image.PlanarImage;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Fills a square at a random place with the image's mean colour (cutout, also called random
 * erasing). Its centre is anywhere in the image, so that parts of it may be outside.
 */
public record Cutout(int side) implements Augmentation {

  public Cutout {
    if (side < 1) {
      throw new UsageException("cutout=%d: expected a side of at least 1 pixel".formatted(side));
    }
  }

  @Override
  public Image apply(Image image, SplittableRandom random) {
    int centreY = random.nextInt(image.height());
    int centreX = random.nextInt(image.width());
    PlanarImage copy = image.planar();
    int top = Math.max(0, centreY - side / 2);
    int left = Math.max(0, centreX - side / 2);
    int bottom = Math.min(copy.height(), centreY - side / 2 + side);
    int right = Math.min(copy.width(), centreX - side / 2 + side);
    int plane = copy.height() * copy.width();
    for (int channel = 0; channel < copy.channels(); channel++) {
      byte mean = mean(copy.pixels(), channel * plane, plane);
      for (int row = top; row < bottom; row++) {
        int from = channel * plane + row * copy.width();
        Arrays.fill(copy.pixels(), from + left, from + right, mean);
      }
    }
    return Image.of(copy);
  }

  private static byte mean(byte[] pixels, int from, int count) {
    long sum = 0;
    for (int i = from; i < from + count; i++) {
      sum += pixels[i] & 0xFF;
    }
    return (byte) ((sum + count / 2) / count);
  }

  @Override
  public String toString() {
    return "cutout=" + side;
  }
}
