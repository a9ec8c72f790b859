package dev.tandem.sync.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CoreWaitTest {

  @TempDir Path tasks;

  private void thread(int id, long waited) throws IOException {
    Path folder = Files.createDirectories(tasks.resolve(Integer.toString(id)));
    Files.writeString(folder.resolve("schedstat"), "5 " + waited + " 7\n");
  }

  /** As when the threads of a generation end and those of the next begin. */
  @Test
  void threadsThatEndTakeNothingAway() throws IOException {
    thread(1, 100);
    thread(2, 1_000_000);
    CoreWait wait = new CoreWait(tasks);
    thread(1, 130);
    Files.delete(tasks.resolve("2/schedstat"));
    Files.delete(tasks.resolve("2"));
    thread(3, 7);
    assertEquals(37, wait.sinceLast());
    thread(2, 11);
    assertEquals(11, wait.sinceLast());
    assertEquals(0, wait.sinceLast());
  }
}
