package dev.tandem.data.glyphs;

/**
 * One grey image and the digit that it shows.
 *
 * <p>The pixels belong to whoever asked for the glyph: nobody else keeps the array.
 */
// Pixels are bulk data that nobody compares: a plain array.
@SuppressWarnings("ArrayRecordComponent")
public record Glyph(byte[] pixels, int label) {

  /** Pixels in a row and rows in an image. */
  public static final int SIDE = 28;

  /** Number of different labels: the digits 0 to 9. */
  public static final int CLASSES = 10;

  public Glyph {
    if (pixels.length != SIDE * SIDE) {
      throw new IllegalArgumentException(
          "a glyph has " + SIDE * SIDE + " pixels, not " + pixels.length);
    }
    if (label < 0 || label >= CLASSES) {
      throw new IllegalArgumentException("a glyph's label is 0 to 9, not " + label);
    }
  }
}
