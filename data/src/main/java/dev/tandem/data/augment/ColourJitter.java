package dev.tandem.data.augment;

import dev.tandem.core.UsageException;
import dev.tandem.data.image.Image;
import dev.tandem.data.image.PlanarImage;
import java.util.SplittableRandom;

/**
 * Changes brightness, contrast and saturation, in this order, each by a random factor between
 * {@code 1 - x} and {@code 1 + x}. Contrast is the distance to the image's mean grey, saturation
 * that to each pixel's grey; images that do not have three channels have no saturation. In whole
 * numbers, so that the pixels are the same on every machine.
 */
public record ColourJitter(double brightness, double contrast, double saturation)
    implements Augmentation {

  /** Bits after the point of factors. */
  private static final int BITS = 12;

  private static final int ONE = 1 << BITS;
  private static final int HALF = ONE / 2;

  public ColourJitter {
    check(brightness);
    check(contrast);
    check(saturation);
  }

  private static void check(double range) {
    if (!(range >= 0 && range <= 1)) {
      throw new UsageException("colour jitter by %s: expected 0 to 1".formatted(range));
    }
  }

  @Override
  public Image apply(Image image, SplittableRandom random) {
    // All are drawn, so that one does not change the others.
    int bright = factor(brightness, random);
    int contrasted = factor(contrast, random);
    int saturated = factor(saturation, random);
    PlanarImage copy = image.planar();
    byte[] pixels = copy.pixels();
    int plane = copy.height() * copy.width();
    if (bright != ONE || contrasted != ONE) {
      lookUp(pixels, table(bright, contrasted, contrasted == ONE ? 0 : grey(copy)));
    }
    if (saturated != ONE && copy.channels() == 3) {
      saturate(pixels, plane, saturated);
    }
    return Image.of(copy);
  }

  private static int factor(double range, SplittableRandom random) {
    double draw = 2 * random.nextDouble() - 1;
    return (int) Math.rint(ONE * (1 + range * draw));
  }

  /** The mean grey, 0 to 255. */
  private static int grey(PlanarImage image) {
    int plane = image.height() * image.width();
    long[] sums = new long[image.channels()];
    for (int channel = 0; channel < sums.length; channel++) {
      long sum = 0;
      for (int i = channel * plane; i < (channel + 1) * plane; i++) {
        sum += image.pixels()[i] & 0xFF;
      }
      sums[channel] = sum / plane;
    }
    return sums.length == 3
        ? PlanarImage.grey((int) sums[0], (int) sums[1], (int) sums[2])
        : (int) sums[0];
  }

  /** What becomes of each byte, from the lowest to the highest. */
  private static byte[] table(int bright, int contrasted, int grey) {
    byte[] table = new byte[256];
    int middle = clamp((grey * bright + HALF) >> BITS);
    for (int value = 0; value < 256; value++) {
      int brighter = clamp((value * bright + HALF) >> BITS);
      int result = middle + (((brighter - middle) * contrasted + HALF) >> BITS);
      table[(byte) value + 128] = (byte) clamp(result);
    }
    return table;
  }

  private static void lookUp(byte[] pixels, byte[] table) {
    byte[] own = new byte[256];
    System.arraycopy(table, 0, own, 0, 256); // of known length: the compiler leaves out checks
    for (int i = 0; i < pixels.length; i++) {
      pixels[i] = own[pixels[i] + 128];
    }
  }

  private static void saturate(byte[] pixels, int plane, int factor) {
    for (int i = 0; i < plane; i++) {
      int blue = pixels[i] & 0xFF;
      int green = pixels[plane + i] & 0xFF;
      int red = pixels[2 * plane + i] & 0xFF;
      int grey = PlanarImage.grey(blue, green, red);
      pixels[i] = (byte) clamp(grey + (((blue - grey) * factor + HALF) >> BITS));
      pixels[plane + i] = (byte) clamp(grey + (((green - grey) * factor + HALF) >> BITS));
      pixels[2 * plane + i] = (byte) clamp(grey + (((red - grey) * factor + HALF) >> BITS));
    }
  }

  private static int clamp(int value) {
    return Math.min(255, Math.max(0, value));
  }

  @Override
  public String toString() {
    if (brightness == contrast && contrast == saturation) {
      return "jitter=" + brightness;
    }
    if (contrast == 0 && saturation == 0) {
      return "brightness=" + brightness;
    }
    if (brightness == 0 && saturation == 0) {
      return "contrast=" + contrast;
    }
    return brightness == 0 && contrast == 0
        ? "saturation=" + saturation
        : "brightness=%s,contrast=%s,saturation=%s".formatted(brightness, contrast, saturation);
  }
}
