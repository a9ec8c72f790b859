package dev.tandem.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
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
  void gatheringSharedMemoryKeepsItsBytes() throws Exception {
    byte[] content = random();
    Path path = SharedMemoryFile.create(SIZE, SharedMemoryFile.folders());
    try {
      Files.write(path, content);
      HugeMemory.gather(path, SIZE);
      assertArrayEquals(content, Files.readAllBytes(path));
    } finally {
      SharedMemoryFile.unlink(path);
    }
  }

  @Test
  void gatheringWhatIsNotThereDoesNothing() {
    HugeMemory.gather(folder.resolve("missing"), SIZE);
  }
}
