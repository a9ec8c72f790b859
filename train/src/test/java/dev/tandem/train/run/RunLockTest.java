package dev.tandem.train.run;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.SharedFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run's lock within one process; RunInUseTest of the cli has two. */
class RunLockTest {

  /** A file system without locks. */
  private static boolean none(SharedFile file) {
    throw new WorkFailedException("no locks for a file of %d bytes".formatted(file.size()));
  }

  @TempDir private Path run;

  @Test
  void aLockHasOneOwner() {
    try (RunLock _ = RunLock.take(run)) {
      assertInUse(() -> RunLock.take(run));
    }
    RunLock.take(run).close();
  }

  @Test
  void withoutLocksAHeartbeatSaysThatTheRunIsInUse() throws Exception {
    Path heartbeat = run.resolve("heartbeat");
    try (RunLock _ = RunLock.take(run, RunLockTest::none)) {
      assertTrue(Files.exists(heartbeat));
      assertInUse(() -> RunLock.take(run, RunLockTest::none));
    }
    assertFalse(Files.exists(heartbeat));
    // That of a process which was killed.
    Files.createFile(heartbeat);
    assertInUse(() -> RunLock.take(run, RunLockTest::none));
    Files.setLastModifiedTime(heartbeat, FileTime.from(Instant.now().minus(Duration.ofMinutes(2))));
    RunLock.take(run, RunLockTest::none).close();
  }

  private static void assertInUse(Runnable take) {
    UsageException refused = assertThrows(UsageException.class, take::run);
    assertTrue(refused.getMessage().contains(" is in use by "), refused.getMessage());
  }
}
