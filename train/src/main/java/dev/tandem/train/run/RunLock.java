package dev.tandem.train.run;

import dev.tandem.core.UsageException;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * Says that this process alone works on a run: a lock of the system on {@code run.lock} (fcntl, so
 * that it ends with the process, however that ends), whose content is the process, its host and
 * when it began. Where a file system has no locks, the file {@code heartbeat} is touched instead; a
 * run whose heartbeat is older than a minute is free.
 *
 * <p>As the system has it, no other part of this process may open {@code run.lock} meanwhile.
 */
public final class RunLock implements AutoCloseable {

  private static final String FILE = "run.lock";
  private static final String HEARTBEAT = "heartbeat";
  private static final Duration BEAT = Duration.ofSeconds(10);
  private static final Duration STALE = Duration.ofSeconds(60);

  private final FileChannel channel;
  private final Optional<Thread> heart;
  private final Path heartbeat;

  private RunLock(FileChannel channel, Optional<Thread> heart, Path heartbeat) {
    this.channel = channel;
    this.heart = heart;
    this.heartbeat = heartbeat;
  }

  /** How a file system is asked for a lock; empty if another process has it. */
  interface Locking {

    Optional<FileLock> tryLock(FileChannel channel) throws IOException;
  }

  /** Takes the lock of a run's folder; refuses if another process has it, and changes nothing. */
  public static RunLock take(Path run) {
    return take(run, channel -> Optional.ofNullable(channel.tryLock()));
  }

  static RunLock take(Path run, Locking locking) {
    Path file = run.resolve(FILE);
    Path heartbeat = run.resolve(HEARTBEAT);
    try {
      FileChannel channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      try {
        boolean locks = locks(locking, channel);
        if (!locks && alive(heartbeat)) {
          throw inUse(run, content(channel));
        }
        sign(channel);
        return new RunLock(
            channel, locks ? Optional.empty() : Optional.of(beat(heartbeat)), heartbeat);
      } catch (OverlappingFileLockException | Taken e) {
        String content = content(channel);
        channel.close();
        throw inUse(run, content);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw FileErrors.failure("lock", file, e);
    }
  }

  /** Another process has the lock. */
  private static final class Taken extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Whether the file system has locks; then this process has this one. */
  private static boolean locks(Locking locking, FileChannel channel) {
    try {
      if (locking.tryLock(channel).isEmpty()) {
        throw new Taken();
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean alive(Path heartbeat) throws IOException {
    return Files.exists(heartbeat)
        && Files.getLastModifiedTime(heartbeat).toInstant().plus(STALE).isAfter(Instant.now());
  }

  private static UsageException inUse(Path run, String content) {
    String[] words = content.strip().split(" ", -1);
    String who =
        words.length == 3
            ? "process %s on %s since %s".formatted(words[0], words[1], time(words[2]))
            : "another process";
    return new UsageException(shown(run) + " is in use by " + who);
  }

  /** A path as a person would write it: relative where it is below the working directory. */
  private static Path shown(Path path) {
    Path here = Path.of("").toAbsolutePath();
    Path whole = path.toAbsolutePath().normalize();
    return whole.startsWith(here) && !whole.equals(here) ? here.relativize(whole) : whole;
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

  private static String content(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(1024);
    int count = channel.read(bytes, 0);
    return count <= 0 ? "" : new String(bytes.array(), 0, count, StandardCharsets.UTF_8);
  }

  /** Tells others who has it; the lock holds also on a disk that is full. */
  private static void sign(FileChannel channel) {
    String content =
        "%d %s %s%n".formatted(ProcessHandle.current().pid(), Hosts.thisHost(), Instant.now());
    try {
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8)), 0);
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
      channel.close();
    } catch (IOException e) {
      throw FileErrors.failure("unlock", heartbeat.resolveSibling(FILE), e);
    }
  }
}
