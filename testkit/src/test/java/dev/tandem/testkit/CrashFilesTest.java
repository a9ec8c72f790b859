package dev.tandem.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.posix.DurableFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CrashFilesTest {

  private static final Path FOLDER = Path.of("somewhere");
  private static final Path FILE = FOLDER.resolve("file");

  private final CrashFiles files = new CrashFiles();
  private final SplittableRandom random = TestSeed.of(CrashFilesTest.class).random();

  private static ByteBuffer filled(int size, int value) {
    byte[] bytes = new byte[size];
    Arrays.fill(bytes, (byte) value);
    return ByteBuffer.wrap(bytes);
  }

  private DurableFile durableFile(int size) {
    DurableFile file = files.openOrCreate(FILE);
    file.write(filled(size, 1), 0);
    file.force();
    files.forceDirectory(FOLDER);
    return file;
  }

  @Test
  void readsSeeWritesAtOnce() {
    try (DurableFile file = durableFile(3)) {
      file.write(filled(2, 2), 2);
      ByteBuffer read = ByteBuffer.allocate(10);
      assertEquals(4, file.read(read, 0));
      assertArrayEquals(new byte[] {1, 1, 2, 2}, Arrays.copyOf(read.array(), 4));
      assertEquals(4, file.size());
      assertEquals(0, file.read(ByteBuffer.allocate(4), 9));
      file.truncate(1);
      file.truncate(3);
      read.clear();
      assertEquals(3, file.read(read, 0));
      assertArrayEquals(new byte[] {1, 0, 0}, Arrays.copyOf(read.array(), 3));
    }
  }

  @Test
  void whatIsForcedSurvivesEveryCut() {
    try (DurableFile file = durableFile(2000)) {
      long durable = files.length();
      file.write(filled(5000, 2), 1000);
      for (int i = 0; i < 500; i++) {
        long point = durable + random.nextLong(files.length() - durable + 1);
        byte[] left = files.cut(point, random).bytes(FILE);
        assertTrue(left.length >= 2000);
        assertArrayEquals(filled(1000, 1).array(), Arrays.copyOf(left, 1000));
      }
    }
  }

  @Test
  void sectorsAreLostOneByOneAndNeverTorn() {
    Set<String> outcomes = new HashSet<>();
    try (DurableFile file = durableFile(4 * 512)) {
      file.write(filled(4 * 512, 2), 0);
      for (int i = 0; i < 2000; i++) {
        byte[] left = files.cut(files.length(), random).bytes(FILE);
        StringBuilder outcome = new StringBuilder();
        for (int sector = 0; sector < 4; sector++) {
          byte first = left[sector * 512];
          for (int at = sector * 512; at < (sector + 1) * 512; at++) {
            assertEquals(first, left[at]);
          }
          outcome.append(first);
        }
        outcomes.add(outcome.toString());
      }
    }
    assertEquals(16, outcomes.size(), "every mixture of old and new: " + outcomes);
  }

  @Test
  void theWriteUnderWayIsCutAtAByte() {
    try (DurableFile file = durableFile(0)) {
      long before = files.length();
      file.write(filled(1000, 2), 0);
      Set<Integer> sizes = new HashSet<>();
      for (int i = 0; i < 300; i++) {
        sizes.add(files.cut(before + 700, random).bytes(FILE).length);
      }
      assertEquals(Set.of(0, 512, 700), sizes);
    }
  }

  @Test
  void newNamesNeedTheDirectory() {
    boolean lost = false;
    boolean kept = false;
    try (DurableFile file = files.openOrCreate(FILE)) {
      file.write(filled(10, 1), 0);
      file.force();
    }
    for (int i = 0; i < 100; i++) {
      byte[] left = files.cut(files.length(), random).bytes(FILE);
      lost |= left == null;
      kept |= left != null && left.length == 10;
    }
    assertTrue(lost && kept);
    files.forceDirectory(FOLDER);
    for (int i = 0; i < 100; i++) {
      assertEquals(10, files.cut(files.length(), random).bytes(FILE).length);
    }
  }

  @Test
  void replaceLeavesOldOrNewAtEveryCut() {
    files.replace(FILE, ByteBuffer.wrap("the old one".getBytes(UTF_8)));
    long old = files.length();
    files.replace(FILE, ByteBuffer.wrap("another, and longer".getBytes(UTF_8)));
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      long point = old + random.nextLong(files.length() - old + 1);
      seen.add(new String(files.cut(point, random).bytes(FILE), UTF_8));
    }
    assertEquals(Set.of("the old one", "another, and longer"), seen);
  }

  @Test
  void nothingIsThereBeforeTheFirstEvent() {
    durableFile(5).close();
    assertNull(files.cut(0, random).bytes(FILE));
  }

  @Test
  void aDiskAfterACutCanBeUsedAndCutAgain() {
    durableFile(5).close();
    CrashFiles second = new CrashFiles(files.cut(files.length(), random));
    assertTrue(second.exists(FILE));
    try (DurableFile file = second.openOrCreate(FILE)) {
      file.write(filled(5, 7), 0);
      assertEquals(5, second.cut(0, random).bytes(FILE)[0] * 5);
      file.force();
      assertEquals(7, second.cut(second.length(), random).bytes(FILE)[0]);
    }
    second.delete(FILE);
    assertFalse(second.exists(FILE));
  }
}
