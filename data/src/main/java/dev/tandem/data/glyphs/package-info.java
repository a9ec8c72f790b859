/**
 * Handwritten-like digits, drawn instead of downloaded: a ten-class problem of any size that needs
 * no data file and no font.
 *
 * <p>{@link dev.tandem.data.glyphs.DigitStrokes} knows how people write each digit, as a few
 * variants of pen strokes; {@link dev.tandem.data.glyphs.Hand} is one writer on one occasion, who
 * shakes, slants, turns, stretches and bends those strokes; {@link
 * dev.tandem.data.glyphs.GlyphDigits} puts ink and noise on a 28x28 sheet by Java2D.
 *
 * <p>An image is a pure function of seed and number, so any thread or rank can draw any image.
 */
package dev.tandem.data.glyphs;
