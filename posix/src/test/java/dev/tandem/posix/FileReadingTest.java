package dev.tandem.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.WorkFailedException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileReadingTest {

  private static final int SIZE = (1 << 20) + 1234;

  @TempDir Path folder;

  private Path file(byte[] content) throws Exception {
    return Files.write(folder.resolve("file"), content);
  }

  private static byte[] random() {
    byte[] content = new byte[SIZE];
    new SplittableRandom(1).nextBytes(content);
    return content;
  }

  @Test
  void readsPastThePageCacheAndThroughItGiveTheSameBytes() throws Exception {
    byte[] content = random();
    Path path = file(content);
    try (PositionalFile direct = PositionalFile.openDirect(path);
        PositionalFile cached = PositionalFile.openCached(path)) {
      for (PositionalFile file : new PositionalFile[] {direct, cached}) {
        int alignment = file.alignment();
        ByteBuffer memory = ByteBuffer.allocateDirect(SIZE + 2 * alignment).alignedSlice(alignment);
        int position = 3 * alignment;
        // To the end of the file, which is no whole block.
        int length = (SIZE - position + alignment - 1) & -alignment;
        file.read(memory.limit(length), position, SIZE - position);
        byte[] read = new byte[SIZE - position];
        memory.get(0, read);
        assertArrayEquals(Arrays.copyOfRange(content, position, SIZE), read);
        assertEquals(SIZE, file.size());
      }
    }
  }

  @Test
  void aFileThatIsTooShortSaysSo() throws Exception {
    Path path = file(new byte[5000]);
    try (PositionalFile file = PositionalFile.openDirect(path)) {
      ByteBuffer memory = ByteBuffer.allocateDirect(3 * 4096).alignedSlice(4096).limit(8192);
      WorkFailedException failure =
          assertThrows(WorkFailedException.class, () -> file.read(memory, 0, 8192));
      assertTrue(failure.getMessage().contains("5000"), failure.getMessage());
    }
  }

  @Test
  void whatIsReadIsInThePageCacheUntilItIsDropped() throws Exception {
    Path path = file(random());
    PageCache cache = PageCache.capability().orElseThrow();
    Files.readAllBytes(path);
    assertEquals(1, PageCache.sampledShare(path));
    cache.drop(path);
    assertTrue(PageCache.sampledShare(path) < 1);
    long resident = cache.residentBytes(path, 0, SIZE);
    assertTrue(resident < SIZE, resident + " bytes are still there");
  }

  @Test
  void theKernelCountsForThisProcess() throws Exception {
    ProcessCounters before = ProcessCounters.read();
    Path path = file(random());
    PageCache.capability().orElseThrow().drop(path);
    Files.readAllBytes(path);
    ProcessCounters counters = ProcessCounters.read().since(before);
    assertTrue(counters.deviceBytes() >= SIZE, counters.toString());
    assertTrue(counters.minorFaults() > 0, counters.toString());
    assertTrue(counters.threadRunNanos() > 0, counters.toString());
  }
}
