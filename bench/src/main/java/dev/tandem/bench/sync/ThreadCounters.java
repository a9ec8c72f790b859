package dev.tandem.bench.sync;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Predicate;

/**
 * What the kernel has counted for some threads of this process that are alive.
 *
 * @param runNanos on a processor
 * @param involuntarySwitches how often the processor was taken away; yields count, too
 */
record ThreadCounters(long runNanos, long involuntarySwitches) {

  private static final Path TASKS = Path.of("/proc/self/task");
  private static final String SWITCHES = "\nnonvoluntary_ctxt_switches:";

  /** Of the threads whose names begin so; the kernel knows the first 15 characters of a name. */
  static ThreadCounters read(Predicate<String> names) {
    long nanos = 0;
    long switches = 0;
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(TASKS)) {
      for (Path thread : threads) {
        try {
          if (names.test(Files.readString(thread.resolve("comm")).strip())) {
            String schedule = Files.readString(thread.resolve("schedstat"));
            nanos += Long.parseLong(schedule.substring(0, schedule.indexOf(' ')));
            switches += switches(Files.readString(thread.resolve("status")));
          }
        } catch (NoSuchFileException e) {
          // It has ended just now.
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + TASKS, e);
    }
    return new ThreadCounters(nanos, switches);
  }

  private static long switches(String status) {
    int at = status.indexOf(SWITCHES) + SWITCHES.length();
    int end = status.indexOf('\n', at);
    return Long.parseLong(status.substring(at, end < 0 ? status.length() : end).strip());
  }

  ThreadCounters since(ThreadCounters earlier) {
    return new ThreadCounters(
        runNanos - earlier.runNanos, involuntarySwitches - earlier.involuntarySwitches);
  }
}
