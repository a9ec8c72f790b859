package dev.tandem.sync.trace;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * How long the threads of this process were ready and had no core, as the kernel counts it for each
 * thread: what a thread that has ended had counted is kept out of later differences. One thread.
 */
final class CoreWait {

  private final Path tasks;
  private Map<String, Long> before;

  /**
   * Counts from now on.
   *
   * @param tasks the folder with one entry per thread, {@code /proc/self/task}
   */
  CoreWait(Path tasks) {
    this.tasks = tasks;
    before = read();
  }

  /** Nanoseconds since the last call, of all threads; 0 where nobody counts. */
  long sinceLast() {
    Map<String, Long> now = read();
    long nanos = 0;
    for (Map.Entry<String, Long> thread : now.entrySet()) {
      // A number that has become smaller is that of a new thread with the name of an old one.
      long known = before.getOrDefault(thread.getKey(), 0L);
      nanos += thread.getValue() >= known ? thread.getValue() - known : thread.getValue();
    }
    before = now;
    return nanos;
  }

  private Map<String, Long> read() {
    Map<String, Long> waits = new HashMap<>();
    if (!Files.isDirectory(tasks)) {
      return waits;
    }
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
      for (Path thread : threads) {
        read(thread, waits);
      }
    } catch (IOException e) {
      return waits;
    }
    return waits;
  }

  private static void read(Path thread, Map<String, Long> waits) {
    try {
      String[] counters = Files.readString(thread.resolve("schedstat")).split(" ", -1);
      waits.put(thread.getFileName().toString(), Long.parseLong(counters[1]));
    } catch (IOException e) {
      // It has ended just now.
    }
  }
}
