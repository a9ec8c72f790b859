package dev.tandem.data.glyphs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GlyphDigitsTest {

  private static final Seed SEED = new Seed(42);

  @Test
  void imageIsFixedForEver() throws Exception {
    // Recorded: a change here makes every saved accuracy incomparable.
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (int index = 0; index < 10; index++) {
      Glyph glyph = GlyphDigits.draw(SEED, index);
      digest.update(glyph.pixels());
      digest.update((byte) glyph.label());
    }
    assertEquals(
        "c14de145e04c4870002cdabaf57c130a8c53d232ef640851f1f6c514c4a34575",
        HexFormat.of().formatHex(digest.digest()));
  }

  @Test
  void anyThreadDrawsTheSameImage() {
    List<Glyph> alone = IntStream.range(0, 500).mapToObj(i -> GlyphDigits.draw(SEED, i)).toList();
    List<Glyph> together =
        IntStream.range(0, 500).parallel().mapToObj(i -> GlyphDigits.draw(SEED, i)).toList();
    for (int index = 0; index < alone.size(); index++) {
      assertEquals(alone.get(index).label(), together.get(index).label());
      assertArrayEquals(alone.get(index).pixels(), together.get(index).pixels());
    }
  }

  @Test
  void labelsAreEquallyFrequent() {
    int images = 10_000;
    int[] frequency = new int[Glyph.CLASSES];
    for (int index = 0; index < images; index++) {
      frequency[GlyphDigits.draw(SEED, index).label()]++;
    }
    for (int label = 0; label < Glyph.CLASSES; label++) {
      // Four standard deviations of a binomial count with mean 1,000 are 120.
      assertTrue(
          Math.abs(frequency[label] - images / Glyph.CLASSES) < 120,
          label + " occurs " + frequency[label] + " times");
    }
  }

  @Test
  void noTwoImagesAreEqual() {
    Set<String> seen = new HashSet<>();
    for (long seed = 1; seed <= 2; seed++) {
      for (int index = 0; index < 1_000; index++) {
        Glyph glyph = GlyphDigits.draw(new Seed(seed), index);
        assertTrue(seen.add(HexFormat.of().formatHex(glyph.pixels())), "image " + index);
      }
    }
  }

  @Test
  void everyImageShowsInkInsideTheSheet() {
    for (int index = 0; index < 1_000; index++) {
      byte[] pixels = GlyphDigits.draw(SEED, index).pixels();
      int brightest = 0;
      for (byte pixel : pixels) {
        brightest = Math.max(brightest, pixel & 0xFF);
      }
      assertTrue(brightest > 120, "image " + index + " is empty");
    }
  }

  @Test
  void glyphChecksItsParts() {
    assertThrows(IllegalArgumentException.class, () -> new Glyph(new byte[5], 0));
    assertThrows(IllegalArgumentException.class, () -> new Glyph(new byte[784], 10));
  }
}
