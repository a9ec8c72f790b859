package dev.tandem.data.glyphs;

import dev.tandem.core.Seed;
import dev.tandem.data.Datum;
import dev.tandem.data.importing.Importer;
import dev.tandem.data.importing.RecordSink;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/**
 * Digits in the shape of CIFAR-10, 3x32x32: each drawn in one colour somewhere on a ground of
 * another. Unlike random pixels they can be learned, and colour alone does not tell the digit. A
 * record depends on the seed and its number alone.
 */
public final class ColourDigits implements Importer {

  /** Pixels in a row and rows in an image. */
  public static final int SIDE = 32;

  private static final int CHANNELS = 3;

  /** How far ink and ground differ at least, summed over the channels. */
  private static final int CONTRAST = 180;

  private final Seed seed;
  private final long records;

  public ColourDigits(Seed seed, long records) {
    this.seed = seed;
    this.records = records;
  }

  @Override
  public OptionalLong count() {
    return OptionalLong.of(records);
  }

  @Override
  public void importTo(RecordSink sink) {
    for (long number = 0; number < records; number++) {
      byte[] key = "%08d".formatted(number).getBytes(StandardCharsets.US_ASCII);
      byte[] value = draw(seed, number).encode();
      sink.put(MemorySegment.ofArray(key), MemorySegment.ofArray(value));
    }
  }

  /** The image with this number in the endless set that belongs to the seed. */
  static Datum draw(Seed seed, long number) {
    Glyph glyph = GlyphDigits.draw(seed, number);
    SplittableRandom random = seed.derive("colours").derive(number).random();
    int[] ground = colour(random);
    int[] ink = colour(random);
    while (distance(ground, ink) < CONTRAST) {
      ink = colour(random);
    }
    int top = random.nextInt(SIDE - Glyph.SIDE + 1);
    int left = random.nextInt(SIDE - Glyph.SIDE + 1);
    byte[] pixels = new byte[CHANNELS * SIDE * SIDE];
    for (int channel = 0; channel < CHANNELS; channel++) {
      for (int row = 0; row < SIDE; row++) {
        for (int column = 0; column < SIDE; column++) {
          int light = light(glyph, row - top, column - left);
          pixels[(channel * SIDE + row) * SIDE + column] =
              (byte) (ground[channel] + (ink[channel] - ground[channel]) * light / 255);
        }
      }
    }
    return Datum.of(CHANNELS, SIDE, SIDE, glyph.label(), pixels);
  }

  private static int light(Glyph glyph, int row, int column) {
    boolean inside = row >= 0 && row < Glyph.SIDE && column >= 0 && column < Glyph.SIDE;
    return inside ? glyph.pixels()[row * Glyph.SIDE + column] & 0xFF : 0;
  }

  private static int[] colour(SplittableRandom random) {
    return new int[] {random.nextInt(256), random.nextInt(256), random.nextInt(256)};
  }

  private static int distance(int[] one, int[] other) {
    int distance = 0;
    for (int channel = 0; channel < CHANNELS; channel++) {
      distance += Math.abs(one[channel] - other[channel]);
    }
    return distance;
  }
}
