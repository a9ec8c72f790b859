package dev.tandem.posix;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.WorkFailedException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedFileTest {

  @TempDir Path folder;

  @Test
  void mappedBytesAreTheFiles() {
    Path path = folder.resolve("shared");
    try (SharedFile file = SharedFile.openOrCreate(path)) {
      assertEquals(0, file.size());
      file.resize(4096);
      file.map(4096).set(JAVA_LONG, 8, 42);
    }
    try (SharedFile file = SharedFile.openOrCreate(path)) {
      assertEquals(4096, file.size());
      assertEquals(42, file.map(4096).get(JAVA_LONG, 8));
      assertTrue(file.tryLockExclusive(0));
      file.lockShared(0);
      assertFalse(file.lockedByOther(0));
    }
  }

  @Test
  void errorsNameTheFile() {
    Path missing = folder.resolve("nowhere/shared");
    assertEquals(
        "cannot open " + missing + ": no such file or folder",
        assertThrows(WorkFailedException.class, () -> SharedFile.openOrCreate(missing))
            .getMessage());
  }

  @Test
  void aMutexTellsOfItsDeadOwner() throws InterruptedException {
    try (SharedFile file = SharedFile.openOrCreate(folder.resolve("mutex"))) {
      file.resize(64);
      MemorySegment memory = file.map(64);
      RobustMutex mutex = new RobustMutex(memory);
      mutex.initialise();
      assertEquals(RobustMutex.Outcome.LOCKED, mutex.lock());
      RobustMutex.Outcome[] other = new RobustMutex.Outcome[2];
      Thread.ofPlatform()
          .start(
              () -> {
                other[0] = mutex.lock(Duration.ZERO);
                other[1] = mutex.lock(Duration.ofMillis(5));
              })
          .join();
      assertEquals(RobustMutex.Outcome.BUSY, other[0]);
      assertEquals(RobustMutex.Outcome.BUSY, other[1]);
      mutex.unlock();

      Thread.ofPlatform().start(mutex::lock).join();
      assertEquals(RobustMutex.Outcome.OWNER_DIED, mutex.lock(Duration.ofSeconds(20)));
      mutex.consistent();
      mutex.unlock();
      assertEquals(RobustMutex.Outcome.LOCKED, mutex.lock());
      mutex.unlock();
      assertThrows(WorkFailedException.class, mutex::unlock);
    }
  }
}
