package dev.tandem.data.glyphs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.tandem.core.Seed;
import dev.tandem.data.Datum;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ColourDigitsTest {

  @Test
  void recordsDependOnSeedAndNumberAlone() {
    Set<Integer> labels = new HashSet<>();
    for (long number = 0; number < 100; number++) {
      Datum datum = ColourDigits.draw(new Seed(4), number);
      assertEquals(3, datum.channels());
      assertEquals(ColourDigits.SIDE, datum.height());
      assertEquals(GlyphDigits.draw(new Seed(4), number).label(), datum.label());
      assertArrayEquals(datum.encode(), ColourDigits.draw(new Seed(4), number).encode());
      assertFalse(Arrays.equals(datum.encode(), ColourDigits.draw(new Seed(5), number).encode()));
      labels.add(datum.label());
    }
    assertEquals(10, labels.size());
  }
}
