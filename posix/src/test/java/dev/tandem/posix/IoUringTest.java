package dev.tandem.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IoUringTest {

  private static final int PAGE = 4096;
  private static final int PAGES = 300;
  private static final int END = 1000;
  private static final int DEPTH = 12;

  @TempDir Path folder;

  private IoUring open(Path file) {
    Optional<IoUring> queue = IoUring.open(file, DEPTH);
    if (queue.isEmpty()) {
      System.out.println("IoUringTest: this kernel offers no io_uring, or no O_DIRECT here");
    }
    Assumptions.assumeTrue(queue.isPresent(), "no io_uring or no O_DIRECT");
    return queue.get();
  }

  private Path file(byte[] content) throws Exception {
    return Files.write(folder.resolve("file"), content);
  }

  private static byte[] content() {
    byte[] content = new byte[PAGES * PAGE + END];
    new SplittableRandom(new Seed(5).value()).nextBytes(content);
    return content;
  }

  @Test
  void everyRequestComesBackOnceWithItsBytes() throws Exception {
    byte[] content = content();
    SplittableRandom random = new SplittableRandom(7);
    try (IoUring queue = open(file(content));
        Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate((long) DEPTH * PAGE, PAGE);
      int[] pageOf = new int[DEPTH];
      boolean[] free = new boolean[DEPTH];
      Arrays.fill(free, true);
      int asked = 0;
      int taken = 0;
      while (taken < 2000) {
        for (int number = 0; number < DEPTH && asked < 2000; number++) {
          if (free[number] && random.nextInt(3) > 0) {
            free[number] = false;
            pageOf[number] = random.nextInt(PAGES);
            long at = (long) number * PAGE;
            queue.prepareRead(memory, at, (long) pageOf[number] * PAGE, PAGE, number);
            asked++;
          }
        }
        if (asked == taken) {
          continue;
        }
        queue.submitAndWait(1 + random.nextInt(asked - taken));
        while (queue.next()) {
          int number = queue.number();
          assertFalse(free[number], "request " + number + " came back twice");
          free[number] = true;
          assertEquals(PAGE, queue.result());
          byte[] read = memory.asSlice((long) number * PAGE, PAGE).toArray(ValueLayout.JAVA_BYTE);
          int from = pageOf[number] * PAGE;
          assertArrayEquals(Arrays.copyOfRange(content, from, from + PAGE), read);
          taken++;
        }
      }
      assertEquals(asked, taken);
    }
  }

  @Test
  void theEndOfTheFileAndWhatIsBehindIt() throws Exception {
    byte[] content = content();
    try (IoUring queue = open(file(content));
        Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(2 * PAGE, PAGE);
      queue.prepareRead(memory, 0, (long) PAGES * PAGE, PAGE, 1);
      queue.submitAndWait(1);
      assertTrue(queue.next());
      assertEquals(1, queue.number());
      assertEquals(END, queue.result());
      queue.prepareRead(memory, 0, (long) (PAGES + 5) * PAGE, PAGE, 2);
      queue.prepareRead(
          memory, 1, 0, PAGE, 3); // no address that can be read to past the page cache
      queue.submitAndWait(2);
      int errors = 0;
      for (int i = 0; i < 2; i++) {
        assertTrue(queue.next());
        errors += queue.result() < 0 ? queue.number() : 0;
      }
      assertEquals(3, errors);
      assertFalse(queue.next());
    }
  }

  @Test
  void thereIsNoneForAFileThatIsNotThere() {
    assertTrue(IoUring.open(folder.resolve("missing"), DEPTH).isEmpty());
  }
}
