package dev.tandem.data.glyphs;

import dev.tandem.core.Seed;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Line2D;
import java.awt.image.BufferedImage;
import java.awt.image.DataBufferByte;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws handwritten-like digits: light ink on a dark sheet, as in the well-known digit sets.
 *
 * <p>An image depends on seed and number alone. Training and test set differ by their seeds. Every
 * call draws on a sheet of its own, so all threads may call at once.
 */
public final class GlyphDigits {

  private GlyphDigits() {}

  /** The image with this number in the endless set that belongs to the seed. */
  public static Glyph draw(Seed seed, long index) {
    SplittableRandom random = seed.derive(index).random();
    int label = random.nextInt(Glyph.CLASSES);
    BufferedImage sheet = new BufferedImage(Glyph.SIDE, Glyph.SIDE, BufferedImage.TYPE_BYTE_GRAY);
    Graphics2D graphics = sheet.createGraphics();
    try {
      graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
      // Without this, Java2D moves thin strokes to pixel centres.
      graphics.setRenderingHint(
          RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
      writeDigit(graphics, random, label);
      scratch(graphics, random);
    } finally {
      graphics.dispose();
    }
    byte[] ink = ((DataBufferByte) sheet.getRaster().getDataBuffer()).getData();
    return new Glyph(photograph(ink, random), label);
  }

  private static void writeDigit(Graphics2D graphics, SplittableRandom random, int label) {
    Hand hand = new Hand(random);
    double shake = 0.04 + 0.14 * random.nextDouble();
    double thickness = 2.1 + 1.4 * hand.bell();
    int variant = random.nextInt(DigitStrokes.variants(label));
    graphics.setColor(Color.WHITE);
    for (List<DigitStrokes.Point> stroke : DigitStrokes.variant(label, variant).strokes()) {
      graphics.setStroke(round(thickness * (1 + 0.2 * hand.bell())));
      graphics.draw(hand.draw(stroke, shake));
    }
  }

  /** One image in three has a stray line across it, so that ink alone does not tell the digit. */
  private static void scratch(Graphics2D graphics, SplittableRandom random) {
    if (random.nextInt(3) != 0) {
      return;
    }
    graphics.setColor(new Color(255, 255, 255, 60 + random.nextInt(120)));
    graphics.setStroke(round(0.5 + 0.8 * random.nextDouble()));
    graphics.draw(
        new Line2D.Double(
            Glyph.SIDE * random.nextDouble(),
            Glyph.SIDE * random.nextDouble(),
            Glyph.SIDE * random.nextDouble(),
            Glyph.SIDE * random.nextDouble()));
  }

  /** The sheet as a cheap camera sees it: some exposure, some haze, some noise. */
  private static byte[] photograph(byte[] ink, SplittableRandom random) {
    int exposure = 150 + random.nextInt(106);
    int haze = random.nextInt(40);
    int grain = 4 + random.nextInt(24);
    byte[] pixels = new byte[ink.length];
    long bits = 0;
    for (int i = 0; i < ink.length; i++) {
      if (i % 4 == 0) {
        bits = random.nextLong();
      }
      // Two bytes of the random word make a triangular distribution between -255 and 255.
      int noise = (int) (bits & 0xFF) - (int) (bits >>> 8 & 0xFF);
      bits >>>= 16;
      int light = haze + (ink[i] & 0xFF) * (exposure - haze) / 255 + noise * grain / 128;
      pixels[i] = (byte) Math.clamp(light, 0, 255);
    }
    return pixels;
  }

  private static BasicStroke round(double width) {
    return new BasicStroke((float) width, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);
  }
}
