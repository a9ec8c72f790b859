package dev.tandem.data;

/**
 * What every image of a data set has in common, and how its bytes become floats: {@code (byte / 255
 * - mean) / deviation}.
 */
public record ImageFormat(
    int channels, int height, int width, int classes, double mean, double deviation) {

  public ImageFormat {
    if (channels <= 0 || height <= 0 || width <= 0 || classes <= 0 || !(deviation > 0)) {
      throw new IllegalArgumentException(
          "bad image format %dx%dx%d, %d classes, deviation %s"
              .formatted(channels, height, width, classes, deviation));
    }
  }

  /** Values of one image. */
  public int values() {
    return channels * height * width;
  }
}
