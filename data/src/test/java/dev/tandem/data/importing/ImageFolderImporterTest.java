package dev.tandem.data.importing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.Datum;
import dev.tandem.data.image.ImageFiles;
import dev.tandem.testkit.TestSeed;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageFolderImporterTest {

  @TempDir Path folder;

  private final SplittableRandom random = TestSeed.of(ImageFolderImporterTest.class).random();

  private BufferedImage random(int width, int height, int type) {
    BufferedImage image = new BufferedImage(width, height, type);
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        image.setRGB(x, y, random.nextInt());
      }
    }
    return image;
  }

  private Path write(String name, byte[] bytes) throws IOException {
    Path path = folder.resolve(name);
    Files.createDirectories(path.getParent());
    return Files.write(path, bytes);
  }

  private Path write(String name, BufferedImage image, String format) throws IOException {
    return write(name, encoded(image, format));
  }

  private static byte[] encoded(BufferedImage image, String format) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    assertTrue(ImageIO.write(image, format, bytes));
    return bytes.toByteArray();
  }

  private CollectedRecords records(ImageOptions options) {
    return CollectedRecords.of(new ImageFolderImporter(folder, options));
  }

  @Test
  void pixelsArePlanarBlueGreenRed() throws IOException {
    BufferedImage image = random(5, 4, BufferedImage.TYPE_INT_RGB);
    write("cat/b.png", image, "png");
    write("bird/deep/a.bmp", image, "bmp");
    write("cat/notes.txt", new byte[3]);
    write("cat/.hidden.png", new byte[3]);
    ImageFolderImporter importer = new ImageFolderImporter(folder, ImageOptions.DEFAULT);
    assertEquals(2, importer.count().orElseThrow());
    assertEquals(List.of("bird", "cat"), importer.labels());
    CollectedRecords records = CollectedRecords.of(importer);
    assertEquals(List.of("00000000_bird/deep/a.bmp", "00000001_cat/b.png"), records.keys);
    assertEquals(1, importer.skipped().size(), importer.skipped().toString());
    Datum datum = Datum.decode(records.value(1));
    assertEquals(1, datum.label());
    assertEquals(4, datum.height());
    byte[] pixels = datum.pixels().toArray(ValueLayout.JAVA_BYTE);
    for (int i = 0; i < 20; i++) {
      int rgb = image.getRGB(i % 5, i / 5);
      assertEquals((byte) rgb, pixels[i]);
      assertEquals((byte) (rgb >> 8), pixels[20 + i]);
      assertEquals((byte) (rgb >> 16), pixels[40 + i]);
    }
    // As Caffe writes it: behind the label, encoded = false.
    byte[] message = records.values.get(1);
    byte[] plain = datum.encode();
    assertArrayEquals(plain, Arrays.copyOf(message, plain.length));
    assertArrayEquals(
        new byte[] {7 << 3, 0}, Arrays.copyOfRange(message, plain.length, message.length));
  }

  @Test
  void greySamplesAreTakenAsTheyAre() throws IOException {
    BufferedImage image = new BufferedImage(16, 16, BufferedImage.TYPE_BYTE_GRAY);
    for (int i = 0; i < 256; i++) {
      image.getRaster().setSample(i % 16, i / 16, 0, i);
    }
    write("a/grey.png", image, "png");
    byte[] grey =
        Datum.decode(records(ImageOptions.of(true, null, false, false)).value(0))
            .pixels()
            .toArray(ValueLayout.JAVA_BYTE);
    byte[] colour =
        Datum.decode(records(ImageOptions.DEFAULT).value(0))
            .pixels()
            .toArray(ValueLayout.JAVA_BYTE);
    for (int i = 0; i < 256; i++) {
      assertEquals((byte) i, grey[i]);
      assertEquals((byte) i, colour[i]);
      assertEquals((byte) i, colour[512 + i]);
    }
  }

  @Test
  void greyOfColourHasOpenCvWeights() throws IOException {
    BufferedImage image = new BufferedImage(3, 1, BufferedImage.TYPE_INT_ARGB);
    // Transparency is dropped, not blended.
    image.setRGB(0, 0, 0x40FF0000);
    image.setRGB(1, 0, 0xFF00FF00);
    image.setRGB(2, 0, 0xFF0000FF);
    write("a/x.png", image, "png");
    Datum datum = Datum.decode(records(ImageOptions.of(true, null, false, false)).value(0));
    assertArrayEquals(
        new byte[] {76, (byte) 150, 29}, datum.pixels().toArray(ValueLayout.JAVA_BYTE));
  }

  @Test
  void resizingIsBilinear() throws IOException {
    BufferedImage image = new BufferedImage(2, 2, BufferedImage.TYPE_BYTE_GRAY);
    image.getRaster().setPixels(0, 0, 2, 2, new int[] {0, 100, 200, 40});
    write("a/x.png", image, "png");
    Datum datum = Datum.decode(records(ImageOptions.of(true, "4x4", false, false)).value(0));
    // Worked out by hand: weights 1/4 and 3/4 inside, the border repeated.
    assertArrayEquals(
        new byte[] {
          0,
          25,
          75,
          100,
          50,
          59,
          76,
          85,
          (byte) 150,
          (byte) 126,
          79,
          55,
          (byte) 200,
          (byte) 160,
          80,
          40
        },
        datum.pixels().toArray(ValueLayout.JAVA_BYTE));
    datum = Datum.decode(records(ImageOptions.of(false, "1x7", false, false)).value(0));
    assertEquals(3, datum.channels());
    assertEquals(1, datum.height());
    assertEquals(7, datum.width());
  }

  @Test
  void encodedKeepsTheBytesOfTheFile() throws IOException {
    byte[] bytes = encoded(random(9, 9, BufferedImage.TYPE_INT_RGB), "jpg");
    write("a/x.jpg", bytes);
    byte[] message = records(ImageOptions.of(false, null, true, false)).values.getFirst();
    byte[] tail = Arrays.copyOfRange(message, message.length - 4, message.length);
    assertArrayEquals(new byte[] {5 << 3, 0, 7 << 3, 1}, tail);
    assertArrayEquals(
        bytes, Arrays.copyOfRange(message, message.length - 4 - bytes.length, message.length - 4));
  }

  @Test
  void badImagesAreNamedAndCanBeSkipped() throws IOException {
    byte[] good = encoded(random(40, 40, BufferedImage.TYPE_INT_RGB), "jpg");
    write("a/good.jpg", good);
    Path cut = write("b/cut.jpg", Arrays.copyOf(good, good.length / 2));
    Path foreign =
        write("b/foreign.png", "no image".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    Path empty = write("b/void.gif", new byte[0]);
    byte[] png = encoded(random(40, 40, BufferedImage.TYPE_INT_RGB), "png");
    Path cutPng = write("b/zcut.png", Arrays.copyOf(png, png.length / 2));
    WorkFailedException e =
        assertThrows(WorkFailedException.class, () -> records(ImageOptions.DEFAULT));
    assertEquals("cannot read the image " + cut + ": it is cut short", e.getMessage());
    ImageFolderImporter importer =
        new ImageFolderImporter(folder, ImageOptions.of(false, null, false, true));
    assertEquals(List.of("00000000_a/good.jpg"), CollectedRecords.of(importer).keys);
    assertEquals(4, importer.skipped().size());
    for (Path bad : List.of(cut, foreign, empty, cutPng)) {
      assertTrue(importer.skipped().stream().anyMatch(line -> line.contains(bad.toString())));
    }
  }

  @Test
  void damagedImagesNeverEndTheProgram() throws IOException {
    for (String format : List.of("png", "jpg", "bmp", "gif")) {
      byte[] good = encoded(random(20, 20, BufferedImage.TYPE_INT_RGB), format);
      for (int round = 0; round < 150; round++) {
        byte[] bad = good.clone();
        for (int i = 0; i < 3; i++) {
          bad[random.nextInt(Math.min(bad.length, 60))] = (byte) random.nextInt();
        }
        try {
          ImageFiles.decode("test", bad, false);
        } catch (WorkFailedException e) {
          assertTrue(e.getMessage().startsWith("cannot read the image"), e.getMessage());
        }
      }
    }
  }

  @Test
  void wrongFoldersAndOptionsAreRefused() throws IOException {
    WorkFailedException e =
        assertThrows(WorkFailedException.class, () -> records(ImageOptions.DEFAULT));
    assertTrue(e.getMessage().contains("holds no images"), e.getMessage());
    assertThrows(UsageException.class, () -> ImageOptions.of(true, null, true, false));
    assertThrows(UsageException.class, () -> ImageOptions.of(true, "12", false, false));
    assertThrows(UsageException.class, () -> ImageOptions.of(true, "0x12", false, false));
  }
}
