package dev.tandem.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HugeMemoryTest {

  private static final int SIZE = (5 << 20) + 4096;

  @TempDir Path folder;

  private static byte[] random() {
    byte[] content = new byte[SIZE];
    new SplittableRandom(1).nextBytes(content);
    return content;
  }

  @Test
  void directReadsGoThere() throws Exception {
    byte[] content = random();
    Path path = Files.write(folder.resolve("file"), content);
    ByteBuffer memory = HugeMemory.allocate(SIZE);
    assertEquals(SIZE, memory.remaining());
    try (PositionalFile file = PositionalFile.openDirect(path)) {
      file.read(memory, 0, SIZE);
    }
    byte[] read = new byte[SIZE];
    memory.get(0, read);
    assertArrayEquals(content, read);
  }

  @Test
  void reservingSharedMemoryKeepsItsBytes() throws Exception {
    byte[] content = random();
    Path path = SharedMemoryFile.create(SIZE, SharedMemoryFile.folders());
    try {
      Files.write(path, content);
      assertTrue(HugeMemory.reserve(path, SIZE, SIZE));
      assertArrayEquals(content, Files.readAllBytes(path));
    } finally {
      SharedMemoryFile.unlink(path);
    }
  }

  @Test
  void sharedMemoryIsReallyThere() throws Exception {
    // A part in huge pages, and an odd end.
    for (long huge : List.of(0L, 1L, (long) SIZE, SIZE + 5001L)) {
      Path path = SharedMemoryFile.create(SIZE + 5001L, huge, SharedMemoryFile.folders());
      try {
        assertArrayEquals(new byte[SIZE + 5001], Files.readAllBytes(path));
        assertTrue(blocks(path) * 512 >= SIZE + 5001, path + ", " + huge + " in huge pages");
      } finally {
        SharedMemoryFile.unlink(path);
      }
    }
  }

  private static long blocks(Path file) throws Exception {
    Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
    String text = new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    assertEquals(0, stat.waitFor());
    return Long.parseLong(text.strip());
  }

  @Test
  void reservingWhatIsNotThereDoesNothing() {
    assertFalse(HugeMemory.reserve(folder.resolve("missing"), SIZE, SIZE));
  }

  @Test
  void moreThanThereIsCannotBeReserved() throws Exception {
    Path path = SharedMemoryFile.create(4096, SharedMemoryFile.folders());
    try {
      assertFalse(HugeMemory.reserve(path, Long.MAX_VALUE / 2, 4096));
      assertEquals(4096, Files.size(path));
    } finally {
      SharedMemoryFile.unlink(path);
    }
  }
}
