package dev.tandem.posix;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the kernel has counted for this process so far, read from {@code /proc} without a foreign
 * call. Where there is no {@code /proc} all are 0. Context switches are those of the threads that
 * are alive.
 *
 * @param deviceBytes bytes that had to come from the storage
 * @param minorFaults pages that were in memory but not mapped
 * @param majorFaults pages that had to be read
 * @param threadRunNanos how long the calling thread has run on a processor
 */
public record ProcessCounters(
    long deviceBytes,
    long minorFaults,
    long majorFaults,
    long voluntarySwitches,
    long involuntarySwitches,
    long threadRunNanos) {

  private static final Path SELF = Path.of("/proc/self");

  // Places in /proc/self/stat after the name of the program, see proc(5).
  private static final int MINOR_FAULTS = 7;
  private static final int MAJOR_FAULTS = 9;

  /** The counters now. */
  public static ProcessCounters read() {
    String[] stat = fields(text(SELF.resolve("stat")));
    String io = text(SELF.resolve("io"));
    long voluntary = 0;
    long involuntary = 0;
    if (Files.isDirectory(SELF.resolve("task"))) {
      try (DirectoryStream<Path> threads = Files.newDirectoryStream(SELF.resolve("task"))) {
        for (Path thread : threads) {
          String status = text(thread.resolve("status"));
          voluntary += number(status, "\nvoluntary_ctxt_switches:");
          involuntary += number(status, "\nnonvoluntary_ctxt_switches:");
        }
      } catch (IOException e) {
        throw FileErrors.failure("read", SELF, e);
      }
    }
    return new ProcessCounters(
        number(io, "\nread_bytes:"),
        at(stat, MINOR_FAULTS),
        at(stat, MAJOR_FAULTS),
        voluntary,
        involuntary,
        threadRun());
  }

  /** What was counted since an earlier moment. */
  public ProcessCounters since(ProcessCounters earlier) {
    return new ProcessCounters(
        deviceBytes - earlier.deviceBytes,
        minorFaults - earlier.minorFaults,
        majorFaults - earlier.majorFaults,
        // Threads that ended in between took their counts along.
        Math.max(0, voluntarySwitches - earlier.voluntarySwitches),
        Math.max(0, involuntarySwitches - earlier.involuntarySwitches),
        threadRunNanos - earlier.threadRunNanos);
  }

  private static long threadRun() {
    String schedule = text(Path.of("/proc/thread-self/schedstat"));
    int space = schedule.indexOf(' ');
    return space < 0 ? 0 : Long.parseLong(schedule.substring(0, space));
  }

  private static String[] fields(String stat) {
    // The name of the program is in parentheses and may itself have spaces.
    return stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
  }

  private static long at(String[] fields, int place) {
    return place < fields.length ? Long.parseLong(fields[place]) : 0;
  }

  private static long number(String text, String label) {
    int at = text.indexOf(label);
    if (at < 0) {
      return 0;
    }
    int end = text.indexOf('\n', at + 1);
    return Long.parseLong(
        text.substring(at + label.length(), end < 0 ? text.length() : end).strip());
  }

  private static String text(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      // Not Linux, or a thread that ended just now.
      return "";
    }
  }
}
