package dev.tandem.data.augment;

import dev.tandem.core.UsageException;
import dev.tandem.data.image.Image;
import dev.tandem.data.image.PlanarImage;
import java.util.SplittableRandom;

/**
 * Rotates the image about its middle by a random angle of up to a number of degrees to either side,
 * bilinear; what comes in from outside is black. StrictMath and whole numbers, so that the pixels
 * are the same on every machine.
 */
public record RandomRotation(double degrees) implements Augmentation {

  /** Bits after the point of places. */
  private static final int BITS = 16;

  private static final int WEIGHT_BITS = 8;

  public RandomRotation {
    if (!(degrees >= 0 && degrees <= 180)) {
      throw new UsageException("rotation by %s degrees: expected 0 to 180".formatted(degrees));
    }
  }

  @Override
  public Image apply(Image image, SplittableRandom random) {
    double angle = StrictMath.toRadians(degrees * (2 * random.nextDouble() - 1));
    double cosine = StrictMath.cos(angle);
    double sine = StrictMath.sin(angle);
    PlanarImage from = image.planar();
    int height = from.height();
    int width = from.width();
    byte[] target = new byte[from.pixels().length];
    double middleX = (width - 1) / 2.0;
    double middleY = (height - 1) / 2.0;
    long stepX = Math.round(cosine * (1 << BITS));
    long stepY = Math.round(-sine * (1 << BITS));
    for (int y = 0; y < height; y++) {
      double down = y - middleY;
      // Where pixel (0, y) of the result comes from.
      long x0 = Math.round((middleX - cosine * middleX + sine * down) * (1 << BITS));
      long y0 = Math.round((middleY + sine * middleX + cosine * down) * (1 << BITS));
      for (int channel = 0; channel < from.channels(); channel++) {
        row(from, channel, target, (channel * height + y) * width, x0, y0, stepX, stepY);
      }
    }
    return Image.of(new PlanarImage(from.channels(), height, width, target));
  }

  private static void row(
      PlanarImage from, int channel, byte[] target, int to, long x0, long y0, long dx, long dy) {
    int width = from.width();
    int height = from.height();
    byte[] pixels = from.pixels();
    int plane = channel * height * width;
    long atX = x0;
    long atY = y0;
    for (int x = 0; x < width; x++, atX += dx, atY += dy) {
      int left = (int) (atX >> BITS);
      int top = (int) (atY >> BITS);
      if (left < -1 || top < -1 || left >= width || top >= height) {
        continue;
      }
      int right = (int) (atX >> (BITS - WEIGHT_BITS)) & 0xFF;
      int lower = (int) (atY >> (BITS - WEIGHT_BITS)) & 0xFF;
      int sum;
      if (left >= 0 && top >= 0 && left + 1 < width && top + 1 < height) {
        int at = plane + top * width + left;
        int above = (pixels[at] & 0xFF) * (256 - right) + (pixels[at + 1] & 0xFF) * right;
        int below =
            (pixels[at + width] & 0xFF) * (256 - right) + (pixels[at + width + 1] & 0xFF) * right;
        sum = above * (256 - lower) + below * lower;
      } else {
        int above =
            pixel(from, plane, top, left) * (256 - right)
                + pixel(from, plane, top, left + 1) * right;
        int below =
            pixel(from, plane, top + 1, left) * (256 - right)
                + pixel(from, plane, top + 1, left + 1) * right;
        sum = above * (256 - lower) + below * lower;
      }
      target[to + x] = (byte) ((sum + (1 << 15)) >> 16);
    }
  }

  private static int pixel(PlanarImage image, int plane, int y, int x) {
    return y < 0 || x < 0 || y >= image.height() || x >= image.width()
        ? 0
        : image.pixels()[plane + y * image.width() + x] & 0xFF;
  }

  @Override
  public String toString() {
    return "rotate=" + degrees;
  }
}
