package dev.tandem.sync.trace;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How long threads of this process were active, which is on a core or ready and without one, as the
 * kernel counts it for threads that are alive; nothing where it does not. For one thread at a time.
 */
final class InputActivity {

  private static final Path TASKS = Path.of("/proc/self/task");

  /** Threads are looked for in one reading of N: a process has dozens of others. */
  private static final int SEARCH_EVERY = 16;

  private final String prefix;
  private List<Path> threads = List.of();
  private int readings;

  /**
   * The activity of some threads.
   *
   * @param prefix of their names
   */
  InputActivity(String prefix) {
    this.prefix = prefix;
  }

  /** Active time so far in nanoseconds, by thread. */
  Map<Path, Long> read() {
    if (readings++ % SEARCH_EVERY == 0) {
      threads = search();
    }
    Map<Path, Long> active = new HashMap<>();
    for (Path thread : threads) {
      try {
        String[] counts = Files.readString(thread.resolve("schedstat")).split(" ", -1);
        active.put(thread, Long.parseLong(counts[0]) + Long.parseLong(counts[1]));
      } catch (IOException e) {
        // It has ended.
      }
    }
    return active;
  }

  private List<Path> search() {
    List<Path> found = new ArrayList<>();
    if (!Files.isDirectory(TASKS)) {
      return found;
    }
    try (DirectoryStream<Path> all = Files.newDirectoryStream(TASKS)) {
      for (Path thread : all) {
        if (name(thread).startsWith(prefix)) {
          found.add(thread);
        }
      }
    } catch (IOException e) {
      return List.of();
    }
    return found;
  }

  private static String name(Path thread) {
    try {
      return Files.readString(thread.resolve("comm"));
    } catch (IOException e) {
      return ""; // It has ended just now.
    }
  }

  /** How long the most active thread was so between two readings: at least so long one was. */
  static long longest(Map<Path, Long> before, Map<Path, Long> after) {
    long longest = 0;
    for (Map.Entry<Path, Long> thread : after.entrySet()) {
      Long earlier = before.get(thread.getKey());
      if (earlier != null) {
        longest = Math.max(longest, thread.getValue() - earlier);
      }
    }
    return longest;
  }
}
