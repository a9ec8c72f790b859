package dev.tandem.data.augment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.Datum;
import dev.tandem.data.RecordSource;
import dev.tandem.data.decode.DatumDecoder;
import dev.tandem.data.image.Image;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class AugmentationTest {

  private final SplittableRandom random = TestSeed.of(getClass()).random();

  /** Pixels that say where they are: channel, row, column. */
  private static Image image(int channels, int height, int width) {
    byte[] pixels = new byte[channels * height * width];
    int at = 0;
    for (int channel = 0; channel < channels; channel++) {
      for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++) {
          pixels[at++] = pixel(channel, row, column);
        }
      }
    }
    return Image.of(MemorySegment.ofArray(pixels), channels, height, width);
  }

  private static byte pixel(int channel, int row, int column) {
    return (byte) (channel * 100 + row * 10 + column);
  }

  private static byte[] pixels(Image image) {
    return image.planar().pixels();
  }

  @Test
  void theCentreIsCutOut() {
    Image cut = new CentreCrop(2, 3).apply(image(2, 4, 7), random);
    assertArrayEquals(
        new byte[] {12, 13, 14, 22, 23, 24, 112, 113, 114, 122, 123, 124}, pixels(cut));
    var e =
        assertThrows(
            WorkFailedException.class, () -> new CentreCrop(5, 3).apply(image(1, 4, 7), random));
    assertEquals("it is 4x7, too small to cut 5x3 out of it; resize first", e.getMessage());
  }

  @Test
  void aCutOfAMirroredImageIsAMirroredCut() {
    Image image = image(2, 6, 7);
    assertArrayEquals(
        pixels(image.cut(1, 2, 3, 4)), pixels(image.mirror().cut(1, 1, 3, 4).mirror()));
    byte[] mirrored = pixels(image(1, 1, 4).mirror());
    assertArrayEquals(new byte[] {3, 2, 1, 0}, mirrored);
    assertArrayEquals(pixels(image), pixels(image.mirror().mirror()));
  }

  @Test
  void randomCutsReachEveryPlaceAndNoOther() {
    Set<Integer> corners = new HashSet<>();
    for (int round = 0; round < 500; round++) {
      Image cut = new RandomCrop(3, 5, 0).apply(image(1, 5, 7), random);
      byte[] pixels = pixels(cut);
      int top = pixels[0] / 10;
      int left = pixels[0] % 10;
      corners.add(10 * top + left);
      assertEquals(pixel(0, top + 2, left + 4), pixels[14]);
    }
    assertEquals(3 * 3, corners.size());
  }

  @Test
  void paddingIsBlack() {
    Set<Integer> corners = new HashSet<>();
    for (int round = 0; round < 500; round++) {
      byte[] pixels = pixels(new RandomCrop(3, 3, 1).apply(image(1, 3, 3), random));
      // Where the pixel (1, 1) is, which every cut has.
      for (int at = 0; at < 9; at++) {
        if (pixels[at] == 11) {
          corners.add(at);
        }
      }
    }
    assertEquals(Set.of(0, 1, 2, 3, 4, 5, 6, 7, 8), corners);
  }

  @Test
  void halfOfTheImagesAreFlipped() {
    int flipped = 0;
    for (int round = 0; round < 10_000; round++) {
      flipped += new RandomFlip().apply(image(1, 1, 2), random).mirrored() ? 1 : 0;
    }
    assertTrue(Math.abs(flipped - 5_000) < 300, "flipped " + flipped);
  }

  @Test
  void resizingKeepsColoursAndProportions() {
    byte[] grey = new byte[3 * 20 * 30];
    Arrays.fill(grey, (byte) 200);
    Image image = Image.of(MemorySegment.ofArray(grey), 3, 20, 30);
    Image resized = new ResizeShorter(10).apply(image, random);
    assertEquals(List.of(10, 15), List.of(resized.height(), resized.width()));
    for (byte pixel : pixels(resized)) {
      assertEquals((byte) 200, pixel);
    }
    // Between two pixels bilinear interpolation gives their mixture.
    Image two = Image.of(MemorySegment.ofArray(new byte[] {0, 100}), 1, 1, 2);
    assertArrayEquals(new byte[] {0, 25, 75, 100}, pixels(new Resize(1, 4).apply(two, random)));
    assertEquals(two, new Resize(1, 2).apply(two, random));
  }

  @Test
  void randomResizedCutsAreAlwaysOfTheSize() {
    for (int round = 0; round < 300; round++) {
      Image any = image(1, random.nextInt(1, 60), random.nextInt(1, 60));
      Image cut = new RandomResizedCrop(7, 9).apply(any, random);
      assertEquals(List.of(7, 9), List.of(cut.height(), cut.width()));
    }
  }

  @Test
  void augmentationsAreReadAsTheyPrintThemselves() {
    String all =
        "resize=8x9,shorter=256,crop=4x5,random-crop=32x32+4,random-crop=1x2,"
            + "random-resized-crop=224x224,flip,rotate=10.0,brightness=0.1,contrast=0.25,"
            + "saturation=1.0,jitter=0.4,cutout=16";
    assertEquals(all, AugmentationText.parse(all).toString());
    assertEquals(Augmentations.NONE, AugmentationText.parse(""));
    for (String bad :
        List.of(
            "resize",
            "resize=3",
            "crop=3x4+1",
            "flip=2x2",
            "shorter=3x3",
            "blur",
            "rotate=181",
            "rotate",
            "jitter=1.5",
            "contrast=-1",
            "cutout=0",
            "cutout=4x4",
            "crop=0x1",
            ",")) {
      assertThrows(UsageException.class, () -> AugmentationText.parse(bad), bad);
    }
  }

  @Test
  void normalisedPixelsHaveZeroMeanAndUnitVariance() {
    byte[] pixels = new byte[3 * 10 * 10];
    random.nextBytes(pixels);
    for (int i = 200; i < 300; i++) {
      pixels[i] = 77;
    }
    byte[] value = Datum.of(3, 10, 10, 1, pixels).encode();
    RecordSource source =
        new RecordSource() {
          @Override
          public long size() {
            return 40;
          }

          @Override
          public DataRecord record(long ordinal) {
            return new DataRecord(
                MemorySegment.ofArray(new byte[] {1}), MemorySegment.ofArray(value));
          }

          @Override
          public void close() {}
        };
    Normalisation normalisation =
        PixelStatistics.of(source, new DatumDecoder(0), 10, Progress.SILENT);
    List<float[]> tables = normalisation.tables(3);
    for (int channel = 0; channel < 3; channel++) {
      double sum = 0;
      double squares = 0;
      for (int i = 0; i < 100; i++) {
        float normalised = tables.get(channel)[pixels[channel * 100 + i] & 0xFF];
        sum += normalised;
        squares += normalised * normalised;
      }
      assertEquals(0, sum / 100, 1e-5);
      // The third channel is of one colour.
      assertEquals(channel == 2 ? 0 : 1, squares / 100, 1e-5);
    }
    assertThrows(UsageException.class, () -> normalisation.tables(1));
    assertThrows(UsageException.class, () -> Normalisation.all(0.5, 0));
  }
}
