package dev.tandem.data.decode;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.Datum;
import dev.tandem.data.image.ImageFiles;
import dev.tandem.data.source.TestImages;
import dev.tandem.testkit.TestSeed;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DecoderTest {

  private static DataRecord record(byte[] value) {
    return new DataRecord(MemorySegment.ofArray(new byte[] {'k'}), MemorySegment.ofArray(value));
  }

  private static byte[] pixels(Sample sample) {
    return sample.image().planar().pixels();
  }

  @Test
  void aDatumHoldsPixelsOrAnImageFile() throws IOException {
    byte[] plain = {1, 2, 3, 4, 5, 6};
    Sample sample = new DatumDecoder(0).decode(record(Datum.of(1, 2, 3, 4, plain).encode()));
    assertEquals(4, sample.label());
    assertArrayEquals(plain, pixels(sample));
    for (byte[] file : new byte[][] {TestImages.png(1, 5, 7), TestImages.jpeg(1, 5, 7)}) {
      byte[] message = Datum.encodeFile(MemorySegment.ofArray(file), 9);
      Sample colour = new DatumDecoder(0).decode(record(message));
      assertEquals(9, colour.label());
      assertEquals(3, colour.image().channels());
      assertArrayEquals(ImageFiles.decode("test", file, false).pixels(), pixels(colour));
      Sample grey = new DatumDecoder(1).decode(record(message));
      assertEquals(1, grey.image().channels());
    }
  }

  @Test
  void rawBytesHaveTheirLabelWhereDeclared() {
    byte[] value = {7, 1, 2, 3, 4, 5};
    Sample first = new RawDecoder(1, 1, 5, RawDecoder.LabelPlace.FIRST_BYTE).decode(record(value));
    assertEquals(7, first.label());
    assertArrayEquals(new byte[] {1, 2, 3, 4, 5}, pixels(first));
    Sample last = new RawDecoder(1, 5, 1, RawDecoder.LabelPlace.LAST_BYTE).decode(record(value));
    assertEquals(5, last.label());
    assertArrayEquals(new byte[] {7, 1, 2, 3, 4}, pixels(last));
    Sample none = new RawDecoder(2, 1, 3, RawDecoder.LabelPlace.NONE).decode(record(value));
    assertEquals(0, none.label());
    assertArrayEquals(value, pixels(none));
    RawDecoder other = new RawDecoder(1, 2, 2, RawDecoder.LabelPlace.NONE);
    var e = assertThrows(WorkFailedException.class, () -> other.decode(record(value)));
    assertEquals("6 bytes are not 1x2x2 pixels with 0 bytes of label", e.getMessage());
  }

  @Test
  void imageFilesGetTheirLabelFromElsewhere() throws IOException {
    byte[] file = TestImages.png(3, 4, 4);
    ImageFileDecoder decoder = new ImageFileDecoder(false, record -> 'k' - 'a');
    Sample sample = decoder.decode(record(file));
    assertEquals(10, sample.label());
    assertArrayEquals(ImageFiles.decode("test", file, false).pixels(), pixels(sample));
  }

  @Test
  void damagedImagesAreOneLine() throws IOException {
    SplittableRandom random = TestSeed.of(getClass()).random();
    byte[] good = TestImages.jpeg(5, 16, 16);
    int refused = 0;
    for (int round = 0; round < 200; round++) {
      byte[] bad = Arrays.copyOf(good, random.nextInt(good.length));
      for (int i = 0; i < 3 && bad.length > 0; i++) {
        bad[random.nextInt(bad.length)] = (byte) random.nextInt();
      }
      byte[] message = Datum.encodeFile(MemorySegment.ofArray(bad), 1);
      try {
        new DatumDecoder(0).decode(record(message));
      } catch (WorkFailedException e) {
        assertTrue(e.getMessage().startsWith("cannot read the image in it: "), e.getMessage());
        refused++;
      }
    }
    assertTrue(refused > 150, "refused only " + refused);
  }
}
