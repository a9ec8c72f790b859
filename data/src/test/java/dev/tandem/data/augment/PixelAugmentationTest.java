package dev.tandem.data.augment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.data.image.Image;
import dev.tandem.data.image.PlanarImage;
import dev.tandem.testkit.TestSeed;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;

/** Augmentations that change pixels, against plain computations in double. */
class PixelAugmentationTest {

  private final SplittableRandom random = TestSeed.of(getClass()).random();
  private final int height = random.nextInt(3, 40);
  private final int width = random.nextInt(3, 40);
  private final int channels = random.nextBoolean() ? 3 : 1;
  private final Image image = image();
  private final byte[] pixels = image.planar().pixels();
  private final int plane = height * width;

  /** A view that is cut out and mirrored, so that rows are not as they seem. */
  private Image image() {
    byte[] bytes = new byte[channels * (height + 2) * (width + 5)];
    random.nextBytes(bytes);
    return Image.of(new PlanarImage(channels, height + 2, width + 5, bytes))
        .cut(1, 3, height, width)
        .mirror();
  }

  private int pixel(int channel, int y, int x) {
    return y < 0 || x < 0 || y >= height || x >= width
        ? 0
        : pixels[channel * plane + y * width + x] & 0xFF;
  }

  private static double clamp(double value) {
    return Math.clamp(value, 0.0, 255.0);
  }

  @RepeatedTest(20)
  void coloursAreJitteredAsSaid() {
    double bright = random.nextDouble();
    double contrast = random.nextDouble();
    double saturation = random.nextDouble();
    long seed = random.nextLong();
    Image result =
        new ColourJitter(bright, contrast, saturation).apply(image, new SplittableRandom(seed));
    SplittableRandom draws = new SplittableRandom(seed);
    double b = 1 + bright * (2 * draws.nextDouble() - 1);
    double c = 1 + contrast * (2 * draws.nextDouble() - 1);
    double s = 1 + saturation * (2 * draws.nextDouble() - 1);
    double[] means = new double[channels];
    for (int i = 0; i < pixels.length; i++) {
      means[i / plane] += (pixels[i] & 0xFF) / (double) plane;
    }
    double middle = clamp(b * grey(means));
    byte[] changed = result.planar().pixels();
    for (int i = 0; i < plane; i++) {
      double[] expected = new double[channels];
      for (int channel = 0; channel < channels; channel++) {
        double brighter = clamp(b * (pixels[channel * plane + i] & 0xFF));
        expected[channel] = clamp(middle + c * (brighter - middle));
      }
      double grey = grey(expected);
      for (int channel = 0; channel < channels; channel++) {
        double value = clamp(grey + s * (expected[channel] - grey));
        assertEquals(value, changed[channel * plane + i] & 0xFF, 6, "pixel " + i);
      }
    }
    assertArrayEquals(
        pixels, new ColourJitter(0, 0, 0).apply(image, random).planar().pixels(), "no jitter");
    assertArrayEquals(pixels, image.planar().pixels(), "the image itself stays");
  }

  private static double grey(double[] colours) {
    return colours.length == 1
        ? colours[0]
        : 0.114 * colours[0] + 0.587 * colours[1] + 0.299 * colours[2];
  }

  @RepeatedTest(20)
  void rotationIsBilinear() {
    double degrees = random.nextDouble() * 180;
    long seed = random.nextLong();
    byte[] rotated =
        new RandomRotation(degrees).apply(image, new SplittableRandom(seed)).planar().pixels();
    double angle = Math.toRadians(degrees * (2 * new SplittableRandom(seed).nextDouble() - 1));
    for (int channel = 0; channel < channels; channel++) {
      for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
          double right = x - (width - 1) / 2.0;
          double down = y - (height - 1) / 2.0;
          double fromX = (width - 1) / 2.0 + Math.cos(angle) * right + Math.sin(angle) * down;
          double fromY = (height - 1) / 2.0 - Math.sin(angle) * right + Math.cos(angle) * down;
          int left = (int) Math.floor(fromX);
          int top = (int) Math.floor(fromY);
          double a = fromX - left;
          double b = fromY - top;
          double expected =
              (1 - b) * ((1 - a) * pixel(channel, top, left) + a * pixel(channel, top, left + 1))
                  + b
                      * ((1 - a) * pixel(channel, top + 1, left)
                          + a * pixel(channel, top + 1, left + 1));
          assertEquals(expected, rotated[channel * plane + y * width + x] & 0xFF, 4);
        }
      }
    }
    assertArrayEquals(pixels, new RandomRotation(0).apply(image, random).planar().pixels());
  }

  @RepeatedTest(20)
  void cutoutFillsOneSquareWithTheMean() {
    int side = random.nextInt(1, 12);
    long seed = random.nextLong();
    byte[] changed = new Cutout(side).apply(image, new SplittableRandom(seed)).planar().pixels();
    SplittableRandom draws = new SplittableRandom(seed);
    int top = draws.nextInt(height) - side / 2;
    int left = draws.nextInt(width) - side / 2;
    for (int channel = 0; channel < channels; channel++) {
      double mean = 0;
      for (int i = 0; i < plane; i++) {
        mean += (pixels[channel * plane + i] & 0xFF) / (double) plane;
      }
      for (int i = 0; i < plane; i++) {
        int y = i / width;
        int x = i % width;
        boolean inside = y >= top && y < top + side && x >= left && x < left + side;
        double expected = inside ? mean : pixel(channel, y, x);
        assertEquals(expected, changed[channel * plane + i] & 0xFF, 0.51);
      }
    }
    assertTrue(changed.length == pixels.length);
  }
}
