package dev.tandem.data.source;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import javax.imageio.ImageIO;

/** Image files for tests. */
public final class TestImages {

  private TestImages() {}

  /** A PNG file of random colours. */
  public static byte[] png(long seed, int height, int width) throws IOException {
    return encoded(seed, height, width, "png");
  }

  /** A JPEG file of random colours. */
  public static byte[] jpeg(long seed, int height, int width) throws IOException {
    return encoded(seed, height, width, "jpg");
  }

  private static byte[] encoded(long seed, int height, int width, String format)
      throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        image.setRGB(x, y, random.nextInt());
      }
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ImageIO.write(image, format, bytes);
    return bytes.toByteArray();
  }
}
