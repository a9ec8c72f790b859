package dev.tandem.sync.trace;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * How long threads of this process were active, which is on a core or ready and without one, as the
 * kernel counts it for threads that are alive; nothing where it does not.
 */
final class InputActivity {

  private static final Path TASKS = Path.of("/proc/self/task");

  private final String prefix;

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
    Map<Path, Long> active = new HashMap<>();
    if (!Files.isDirectory(TASKS)) {
      return active;
    }
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(TASKS)) {
      for (Path thread : threads) {
        read(thread, active);
      }
    } catch (IOException e) {
      return Map.of();
    }
    return active;
  }

  private void read(Path thread, Map<Path, Long> into) {
    try {
      if (Files.readString(thread.resolve("comm")).startsWith(prefix)) {
        String[] counts = Files.readString(thread.resolve("schedstat")).split(" ", -1);
        into.put(thread, Long.parseLong(counts[0]) + Long.parseLong(counts[1]));
      }
    } catch (IOException e) {
      // It has ended just now.
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
