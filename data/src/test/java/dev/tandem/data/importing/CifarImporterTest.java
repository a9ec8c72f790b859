package dev.tandem.data.importing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.Datum;
import dev.tandem.data.format.CifarFiles;
import dev.tandem.testkit.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CifarImporterTest {

  @TempDir Path folder;

  private final SplittableRandom random = TestSeed.of(CifarImporterTest.class).random();

  private Path batch(String name, int records) throws IOException {
    byte[] bytes = new byte[records * CifarFiles.RECORD];
    random.nextBytes(bytes);
    for (int i = 0; i < records; i++) {
      bytes[i * CifarFiles.RECORD] = (byte) (i % 10);
    }
    return Files.write(folder.resolve(name), bytes);
  }

  @Test
  void batchesAreNumberedThrough() throws IOException {
    Path one = batch("data_batch_1.bin", 30);
    Path two = batch("data_batch_2.bin", 15);
    CifarImporter importer = new CifarImporter(List.of(one, two));
    assertEquals(45, importer.count().orElseThrow());
    CollectedRecords records = CollectedRecords.of(importer);
    assertEquals("00000", records.keys.getFirst());
    assertEquals("00044", records.keys.getLast());
    byte[] bytes = Files.readAllBytes(two);
    int at = 4 * CifarFiles.RECORD;
    byte[] pixels = Arrays.copyOfRange(bytes, at + 1, at + CifarFiles.RECORD);
    assertArrayEquals(Datum.of(3, 32, 32, 4, pixels).encode(), records.values.get(34));
  }

  @Test
  void cutAndForeignFilesAreNamed() throws IOException {
    Path whole = batch("data_batch_1.bin", 3);
    Path cut =
        Files.write(folder.resolve("cut.bin"), Arrays.copyOf(Files.readAllBytes(whole), 9_000));
    WorkFailedException e =
        assertThrows(WorkFailedException.class, () -> new CifarImporter(List.of(whole, cut)));
    assertTrue(e.getMessage().startsWith(cut + " is cut short or no CIFAR-10"), e.getMessage());
    byte[] bytes = Files.readAllBytes(whole);
    bytes[2 * CifarFiles.RECORD] = 77;
    Path foreign = Files.write(folder.resolve("foreign.bin"), bytes);
    e =
        assertThrows(
            WorkFailedException.class,
            () -> CollectedRecords.of(new CifarImporter(List.of(foreign))));
    assertEquals(
        foreign + " is no CIFAR-10 file: record 3 has label 77, not one of 0..9", e.getMessage());
  }
}
