package dev.tandem.data.importing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.Datum;
import dev.tandem.data.format.IdxFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdxImporterTest {

  private static final Path FASHION = Path.of("/usr/share/datasets/fashion-mnist");

  @TempDir Path folder;

  static byte[] images(int count, int height, int width) {
    ByteBuffer bytes = ByteBuffer.allocate(16 + count * height * width);
    bytes.putInt(IdxFiles.IMAGES_MAGIC).putInt(count).putInt(height).putInt(width);
    for (int i = 0; i < count * height * width; i++) {
      bytes.put((byte) (i * 7));
    }
    return bytes.array();
  }

  static byte[] labels(int count) {
    ByteBuffer bytes = ByteBuffer.allocate(8 + count);
    bytes.putInt(IdxFiles.LABELS_MAGIC).putInt(count);
    for (int i = 0; i < count; i++) {
      bytes.put((byte) (i % 10));
    }
    return bytes.array();
  }

  private static byte[] compressed(byte[] bytes) throws IOException {
    ByteArrayOutputStream target = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(target)) {
      gzip.write(bytes);
    }
    return target.toByteArray();
  }

  private Path file(String name, byte[] bytes) throws IOException {
    return Files.write(folder.resolve(name), bytes);
  }

  @Test
  void plainAndCompressedFilesGiveTheSameRecords() throws IOException {
    CollectedRecords plain =
        CollectedRecords.of(
            new IdxImporter(file("images", images(12, 5, 3)), file("labels", labels(12))));
    CollectedRecords packed =
        CollectedRecords.of(
            new IdxImporter(
                file("images.gz", compressed(images(12, 5, 3))),
                file("labels.gz", compressed(labels(12)))));
    assertEquals(12, plain.keys.size());
    assertEquals("00000011", plain.keys.getLast());
    assertEquals(plain.keys, packed.keys);
    for (int i = 0; i < 12; i++) {
      assertArrayEquals(plain.values.get(i), packed.values.get(i));
      byte[] pixels = Arrays.copyOfRange(images(12, 5, 3), 16 + i * 15, 16 + i * 15 + 15);
      assertArrayEquals(Datum.of(1, 5, 3, i % 10, pixels).encode(), plain.values.get(i));
    }
  }

  @Test
  void whatDoesNotBelongTogetherIsRefused() throws IOException {
    Path images = file("images", images(12, 5, 3));
    Path labels = file("labels", labels(11));
    WorkFailedException e =
        assertThrows(WorkFailedException.class, () -> new IdxImporter(images, labels));
    assertEquals(
        "%s has 12 images and %s has 11 labels: they do not belong together"
            .formatted(images, labels),
        e.getMessage());
    e = assertThrows(WorkFailedException.class, () -> new IdxImporter(labels, images));
    assertTrue(e.getMessage().contains("is no IDX file of images"), e.getMessage());
  }

  @Test
  void cutAndLongFilesAreNamed() throws IOException {
    Path labels = file("labels", labels(12));
    byte[] whole = images(12, 5, 3);
    for (int length : new int[] {0, 3, 15, 16, 100, whole.length - 1}) {
      for (boolean gzip : new boolean[] {false, true}) {
        byte[] cut = Arrays.copyOf(whole, length);
        Path images = file("images", gzip ? compressed(cut) : cut);
        WorkFailedException e =
            assertThrows(
                WorkFailedException.class,
                () -> CollectedRecords.of(new IdxImporter(images, labels)));
        assertTrue(e.getMessage().startsWith(images + " is cut short"), e.getMessage());
      }
    }
    Path half = file("half.gz", Arrays.copyOf(compressed(whole), compressed(whole).length / 2));
    WorkFailedException e =
        assertThrows(
            WorkFailedException.class, () -> CollectedRecords.of(new IdxImporter(half, labels)));
    assertTrue(e.getMessage().startsWith(half + " is cut short"), e.getMessage());
    Path longer = file("longer", Arrays.copyOf(whole, whole.length + 1));
    e =
        assertThrows(
            WorkFailedException.class, () -> CollectedRecords.of(new IdxImporter(longer, labels)));
    assertTrue(e.getMessage().contains("continues after its last image"), e.getMessage());
  }

  @Test
  void aMissingFileIsNamed() {
    Path missing = folder.resolve("missing");
    WorkFailedException e =
        assertThrows(WorkFailedException.class, () -> new IdxImporter(missing, missing));
    assertEquals("cannot read " + missing + ": no such file or folder", e.getMessage());
  }

  @Test
  void fashionMnist() {
    Path images = FASHION.resolve("t10k-images-idx3-ubyte.gz");
    if (!Files.exists(images)) {
      System.out.println("skipped: Debian's package dataset-fashion-mnist is not installed");
    }
    assumeTrue(Files.exists(images));
    CollectedRecords records =
        CollectedRecords.of(new IdxImporter(images, FASHION.resolve("t10k-labels-idx1-ubyte.gz")));
    assertEquals(10_000, records.keys.size());
    int[] perClass = new int[10];
    for (int i = 0; i < 10_000; i++) {
      Datum datum = Datum.decode(records.value(i));
      assertEquals(28, datum.height());
      perClass[datum.label()]++;
    }
    for (int count : perClass) {
      assertEquals(1_000, count);
    }
  }
}
