package dev.tandem.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DatumTest {

  @Test
  void bytesAreThoseOfProtocolBuffers() {
    byte[] message = Datum.of(1, 2, 2, 300, new byte[] {1, 2, 3, (byte) 0xFF}).encode();
    assertEquals("080110021802220401" + "0203ff28ac02", HexFormat.of().formatHex(message));
    byte[] negative = Datum.of(1, 1, 1, -1, new byte[] {9}).encode();
    assertEquals(
        "080110011801220109" + "28ffffffffffffffffff01", HexFormat.of().formatHex(negative));
  }

  @Test
  void whatIsEncodedComesBack() {
    SplittableRandom random = TestSeed.of(getClass()).random();
    for (int round = 0; round < 200; round++) {
      int channels = random.nextInt(1, 5);
      int height = random.nextInt(1, 40);
      int width = random.nextInt(1, 40);
      byte[] pixels = new byte[channels * height * width];
      random.nextBytes(pixels);
      int label = random.nextInt();
      byte[] message = Datum.of(channels, height, width, label, pixels).encode();
      Datum datum = Datum.decode(MemorySegment.ofArray(message));
      assertEquals(label, datum.label());
      assertEquals(channels * 10_000 + height * 100 + width, code(datum));
      assertArrayEquals(pixels, datum.pixels().toArray(ValueLayout.JAVA_BYTE));
    }
  }

  private static int code(Datum datum) {
    return datum.channels() * 10_000 + datum.height() * 100 + datum.width();
  }

  @Test
  void damageGivesAClearErrorAndNothingElse() {
    Seed seed = TestSeed.of(getClass());
    byte[] good = Datum.of(3, 4, 5, 7, new byte[60]).encode();
    int refused = 0;
    for (int round = 0; round < 5_000; round++) {
      SplittableRandom random = seed.derive(round).random();
      byte[] bad = Arrays.copyOf(good, random.nextInt(good.length + 1));
      for (int flips = random.nextInt(4); flips > 0 && bad.length > 0; flips--) {
        bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
      }
      try {
        Datum.decode(MemorySegment.ofArray(bad));
      } catch (WorkFailedException e) {
        assertTrue(e.getMessage().contains("Datum"), e.getMessage());
        refused++;
      }
    }
    assertTrue(refused > 3_000, "refused only " + refused);
  }

  @Test
  void whatWeDoNotDecodeIsNamed() {
    byte[] encoded = Datum.encodeFile(MemorySegment.ofArray(new byte[] {1, 2}), 3);
    var e =
        assertThrows(WorkFailedException.class, () -> Datum.decode(MemorySegment.ofArray(encoded)));
    assertEquals("Datum holds a compressed image, not plain pixels", e.getMessage());
  }
}
