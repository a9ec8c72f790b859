package dev.tandem.train.run;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.SharedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Says that this process alone works on a run: a lock of the system on {@code run.lock}, which ends
 * with the process, however that ends; its content is the process, its host and when it began.
 * Where a file system has no locks, the file {@code heartbeat} is touched instead; a run whose
 * heartbeat is older than a minute is free.
 */
public final class RunLock implements AutoCloseable {

  private static final String FILE = "run.lock";
  private static final String HEARTBEAT = "heartbeat";
  private static final Duration BEAT = Duration.ofSeconds(10);
  private static final Duration STALE = Duration.ofSeconds(60);

  private final SharedFile file;
  private final Optional<Thread> heart;
  private final Path heartbeat;

  private RunLock(SharedFile file, Optional<Thread> heart, Path heartbeat) {
    this.file = file;
    this.heart = heart;
    this.heartbeat = heartbeat;
  }

  /** Takes the lock of a run's folder; refuses if another process has it, and changes nothing. */
  public static RunLock take(Path run) {
    return take(run, file -> file.tryLockOwn(0));
  }

  /**
   * Takes the lock.
   *
   * @param locking locks the file, or fails where there are no locks
   */
  static RunLock take(Path run, Predicate<SharedFile> locking) {
    Path path = run.resolve(FILE);
    Path heartbeat = run.resolve(HEARTBEAT);
    SharedFile file = SharedFile.openOrCreate(path);
    try {
      boolean locks = locks(locking, file, run);
      if (!locks && alive(heartbeat)) {
        throw inUse(run);
      }
      sign(path);
      return new RunLock(file, locks ? Optional.empty() : Optional.of(beat(heartbeat)), heartbeat);
    } catch (IOException e) {
      file.close();
      throw FileErrors.failure("lock", path, e);
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /** Whether the file system has locks; then this process has this one. */
  private static boolean locks(Predicate<SharedFile> locking, SharedFile file, Path run) {
    boolean taken;
    try {
      taken = !locking.test(file);
    } catch (WorkFailedException e) {
      return false;
    }
    if (taken) {
      throw inUse(run);
    }
    return true;
  }

  private static boolean alive(Path heartbeat) throws IOException {
    return Files.exists(heartbeat)
        && Files.getLastModifiedTime(heartbeat).toInstant().plus(STALE).isAfter(Instant.now());
  }

  private static UsageException inUse(Path run) {
    String[] words = content(run.resolve(FILE)).strip().split(" ", -1);
    String who =
        words.length == 3
            ? "process %s on %s since %s".formatted(words[0], words[1], time(words[2]))
            : "another process";
    return new UsageException(RunFolder.shown(run) + " is in use by " + who);
  }

  private static String time(String instant) {
    try {
      ZonedDateTime time = Instant.parse(instant).atZone(ZoneId.systemDefault());
      boolean today = time.toLocalDate().equals(LocalDate.now(ZoneId.systemDefault()));
      return DateTimeFormatter.ofPattern(today ? "HH:mm" : "yyyy-MM-dd HH:mm").format(time);
    } catch (DateTimeParseException e) {
      return instant;
    }
  }

  private static String content(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "";
    }
  }

  /** Tells others who has it; the lock holds also on a disk that is full. */
  private static void sign(Path file) {
    String content =
        "%d %s %s%n".formatted(ProcessHandle.current().pid(), Hosts.thisHost(), Instant.now());
    try {
      Files.writeString(file, content);
    } catch (IOException e) {
      // Others are refused all the same, without a name.
    }
  }

  private static Thread beat(Path heartbeat) throws IOException {
    if (!Files.exists(heartbeat)) {
      Files.createFile(heartbeat);
    }
    touch(heartbeat);
    return Thread.ofPlatform()
        .daemon()
        .name("tandem-heartbeat")
        .start(
            () -> {
              try {
                while (true) {
                  Thread.sleep(BEAT);
                  touch(heartbeat);
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } catch (IOException e) {
                System.err.println(FileErrors.failure("write", heartbeat, e).getMessage());
              }
            });
  }

  private static void touch(Path heartbeat) throws IOException {
    Files.setLastModifiedTime(heartbeat, FileTime.from(Instant.now()));
  }

  /** Gives the run free. */
  @Override
  public void close() {
    try {
      if (heart.isPresent()) {
        heart.get().interrupt();
        Files.deleteIfExists(heartbeat);
      }
    } catch (IOException e) {
      throw FileErrors.failure("unlock", heartbeat.resolveSibling(FILE), e);
    } finally {
      file.close();
    }
  }
}
