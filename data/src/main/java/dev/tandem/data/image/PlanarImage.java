package dev.tandem.data.image;

import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.Raster;

/**
 * An image as Caffe keeps it: one plane of unsigned bytes per channel, blue before green before
 * red, or one plane of grey. Owns its pixels; nobody changes them once it is made.
 */
public final class PlanarImage {

  private final int channels;
  private final int height;
  private final int width;
  private final byte[] pixels;

  /** Takes the pixels over: channels x height x width bytes. */
  public PlanarImage(int channels, int height, int width, byte[] pixels) {
    this.channels = channels;
    this.height = height;
    this.width = width;
    this.pixels = pixels;
  }

  /** OpenCV's planes of the image: transparency is dropped, not blended. */
  public static PlanarImage of(BufferedImage image, boolean grey) {
    int height = image.getHeight();
    int width = image.getWidth();
    int plane = Math.multiplyExact(height, width);
    int channels = grey ? 1 : 3;
    byte[] pixels = new byte[Math.multiplyExact(channels, plane)];
    if (image.getColorModel().getColorSpace().getType() == ColorSpace.TYPE_GRAY) {
      fromGrey(image.getRaster(), pixels, channels);
    } else {
      fromColour(image, pixels, grey);
    }
    return new PlanarImage(channels, height, width, pixels);
  }

  /** Takes the samples as they are: Java's own conversion to RGB would apply another gamma. */
  private static void fromGrey(Raster raster, byte[] pixels, int channels) {
    int width = raster.getWidth();
    int plane = raster.getHeight() * width;
    int bits = raster.getSampleModel().getSampleSize(0);
    boolean wide = raster.getTransferType() != DataBuffer.TYPE_BYTE;
    int[] row = new int[width];
    for (int y = 0; y < raster.getHeight(); y++) {
      raster.getSamples(raster.getMinX(), raster.getMinY() + y, width, 1, 0, row);
      for (int x = 0; x < width; x++) {
        int sample = row[x];
        int value = wide ? sample >> (bits - 8) : sample * 255 / ((1 << bits) - 1);
        for (int channel = 0; channel < channels; channel++) {
          pixels[channel * plane + y * width + x] = (byte) value;
        }
      }
    }
  }

  private static void fromColour(BufferedImage image, byte[] pixels, boolean grey) {
    int width = image.getWidth();
    int plane = image.getHeight() * width;
    int[] row = new int[width];
    for (int y = 0; y < image.getHeight(); y++) {
      image.getRGB(0, y, width, 1, row, 0, width);
      for (int x = 0; x < width; x++) {
        int red = row[x] >> 16 & 0xFF;
        int green = row[x] >> 8 & 0xFF;
        int blue = row[x] & 0xFF;
        int at = y * width + x;
        if (grey) {
          pixels[at] = (byte) grey(blue, green, red);
        } else {
          pixels[at] = (byte) blue;
          pixels[plane + at] = (byte) green;
          pixels[2 * plane + at] = (byte) red;
        }
      }
    }
  }

  /** OpenCV's weights: 0.299, 0.587 and 0.114 in 14 bits. */
  public static int grey(int blue, int green, int red) {
    return (red * 4899 + green * 9617 + blue * 1868 + 8192) >> 14;
  }

  /** One plane of grey for three of blue, green and red. */
  PlanarImage grey() {
    int plane = height * width;
    byte[] target = new byte[plane];
    for (int i = 0; i < plane; i++) {
      target[i] =
          (byte) grey(pixels[i] & 0xFF, pixels[plane + i] & 0xFF, pixels[2 * plane + i] & 0xFF);
    }
    return new PlanarImage(1, height, width, target);
  }

  public int channels() {
    return channels;
  }

  public int height() {
    return height;
  }

  public int width() {
    return width;
  }

  /** The planes one after the other, not a copy. */
  public byte[] pixels() {
    return pixels;
  }

  /** Bilinear, pixel centres on pixel centres, as OpenCV's default. */
  public PlanarImage resized(int newHeight, int newWidth) {
    if (newHeight == height && newWidth == width) {
      return this;
    }
    byte[] target = new byte[Math.multiplyExact(channels, Math.multiplyExact(newHeight, newWidth))];
    int[] left = new int[newWidth];
    float[] rightWeight = new float[newWidth];
    for (int x = 0; x < newWidth; x++) {
      float at = source(x, width, newWidth);
      left[x] = (int) at;
      rightWeight[x] = at - left[x];
    }
    for (int channel = 0; channel < channels; channel++) {
      int from = channel * height * width;
      int to = channel * newHeight * newWidth;
      for (int y = 0; y < newHeight; y++) {
        float at = source(y, height, newHeight);
        int row = (int) at;
        int upper = from + row * width;
        int lower = from + Math.min(row + 1, height - 1) * width;
        float lowerWeight = at - row;
        for (int x = 0; x < newWidth; x++) {
          int right = Math.min(left[x] + 1, width - 1);
          float top = mix(pixels[upper + left[x]], pixels[upper + right], rightWeight[x]);
          float bottom = mix(pixels[lower + left[x]], pixels[lower + right], rightWeight[x]);
          target[to + y * newWidth + x] = (byte) Math.round(top + (bottom - top) * lowerWeight);
        }
      }
    }
    return new PlanarImage(channels, newHeight, newWidth, target);
  }

  /** The place in the old image, within it, that pixel {@code at} of the new one shows. */
  private static float source(int at, int oldSize, int newSize) {
    float place = (at + 0.5f) * oldSize / newSize - 0.5f;
    return Math.clamp(place, 0, oldSize - 1);
  }

  private static float mix(byte first, byte second, float secondWeight) {
    int one = first & 0xFF;
    return one + ((second & 0xFF) - one) * secondWeight;
  }
}
