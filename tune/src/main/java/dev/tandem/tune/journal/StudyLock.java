package dev.tandem.tune.journal;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.SharedFile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/**
 * Says that this process alone drives a study: a lock of the kernel on the first byte of {@code
 * study.lock}, which ends with the process, however that ends. The file says who has it.
 */
public final class StudyLock implements AutoCloseable {

  private static final String NAME = "study.lock";
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());

  private final SharedFile file;

  private StudyLock(SharedFile file) {
    this.file = file;
  }

  /**
   * Takes the lock of a study's folder.
   *
   * @throws UsageException if another driver has it
   */
  public static StudyLock take(Path folder) {
    Path path = folder.resolve(NAME);
    SharedFile file = SharedFile.openOrCreate(path);
    try {
      if (!file.tryLockOwn(0)) {
        throw new UsageException(
            "%s is in use by %s".formatted(folder, Files.readString(path).strip()));
      }
      requireLocks(path);
      Files.writeString(
          path,
          "process %d on %s since %s%n"
              .formatted(ProcessHandle.current().pid(), host(), TIME.format(Instant.now())));
      return new StudyLock(file);
    } catch (IOException e) {
      file.close();
      throw FileErrors.failure("lock", path, e);
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /** Some file systems grant every lock. */
  private static void requireLocks(Path path) {
    try (SharedFile other = SharedFile.openOrCreate(path)) {
      if (!other.lockedByOther(0)) {
        throw new WorkFailedException(
            "the file system of %s has no working locks; put the study on another".formatted(path));
      }
    }
  }

  /** The name of this machine. */
  public static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }

  @Override
  public void close() {
    file.close();
  }
}
