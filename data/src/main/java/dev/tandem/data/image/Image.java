package dev.tandem.data.image;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A view of unsigned bytes as an image, one plane per channel. Cutting a part out and mirroring
 * make another view of the same bytes; nothing is copied until somebody needs the rows. Borrows the
 * bytes from whoever decoded them.
 *
 * @param offset byte of the first pixel as the view is seen unmirrored
 * @param rowStride bytes from a row to the next
 * @param planeStride bytes from a channel to the next
 * @param mirrored left and right are exchanged
 */
public record Image(
    MemorySegment bytes,
    int channels,
    int height,
    int width,
    long offset,
    int rowStride,
    int planeStride,
    boolean mirrored) {

  public Image {
    if (channels < 1 || height < 1 || width < 1) {
      throw new IllegalArgumentException(
          "an image of %dx%dx%d is none".formatted(channels, height, width));
    }
  }

  /** An image whose planes and rows lie one after the other. */
  public static Image of(MemorySegment bytes, int channels, int height, int width) {
    return new Image(bytes, channels, height, width, 0, width, height * width, false);
  }

  public static Image of(PlanarImage image) {
    return of(
        MemorySegment.ofArray(image.pixels()), image.channels(), image.height(), image.width());
  }

  /** The part of this size whose first pixel, as seen, is at {@code (top, left)}. */
  public Image cut(int top, int left, int newHeight, int newWidth) {
    if (top < 0 || left < 0 || newHeight > height - top || newWidth > width - left) {
      throw new IndexOutOfBoundsException(
          "%dx%d at (%d, %d) of an image of %dx%d"
              .formatted(newHeight, newWidth, top, left, height, width));
    }
    int skipped = mirrored ? width - left - newWidth : left;
    return new Image(
        bytes,
        channels,
        newHeight,
        newWidth,
        offset + (long) top * rowStride + skipped,
        rowStride,
        planeStride,
        mirrored);
  }

  /**
   * Grey for colour: three channels of the same bytes; colour for grey: one channel, as {@link
   * PlanarImage} weighs them. Images of other numbers of channels stay as they are.
   */
  public Image inChannels(int wanted) {
    if (channels == 1 && wanted == 3) {
      return new Image(bytes, 3, height, width, offset, rowStride, 0, mirrored);
    }
    return channels == 3 && wanted == 1 ? of(planar().grey()) : this;
  }

  /** Left and right exchanged. */
  public Image mirror() {
    return new Image(bytes, channels, height, width, offset, rowStride, planeStride, !mirrored);
  }

  /** Copies a row of a channel, as seen, to {@code target} from {@code at} on. */
  public void copyRow(int channel, int row, byte[] target, int at) {
    long from = offset + (long) channel * planeStride + (long) row * rowStride;
    MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, from, target, at, width);
    if (mirrored) {
      for (int left = at, right = at + width - 1; left < right; left++, right--) {
        byte swapped = target[left];
        target[left] = target[right];
        target[right] = swapped;
      }
    }
  }

  /** Copies a channel, as seen and row by row, to {@code target} from {@code at} on. */
  public void copyPlane(int channel, byte[] target, int at) {
    if (rowStride == width && !mirrored) {
      long from = offset + (long) channel * planeStride;
      MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, from, target, at, height * width);
      return;
    }
    for (int row = 0; row < height; row++) {
      copyRow(channel, row, target, at + row * width);
    }
  }

  /** A copy with planes and rows one after the other. */
  public PlanarImage planar() {
    byte[] pixels = new byte[Math.multiplyExact(channels, Math.multiplyExact(height, width))];
    for (int channel = 0; channel < channels; channel++) {
      copyPlane(channel, pixels, channel * height * width);
    }
    return new PlanarImage(channels, height, width, pixels);
  }
}
