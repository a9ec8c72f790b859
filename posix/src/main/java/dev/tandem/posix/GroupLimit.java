package dev.tandem.posix;

import java.time.Duration;
import java.util.Locale;

/** A limit that the processes of a {@link ControlGroup} have together. */
public sealed interface GroupLimit {

  /** Memory, with the pages of files that they bring into the page cache. */
  record Memory(long bytes) implements GroupLimit {}

  /**
   * Processor time.
   *
   * @param cores how many processors' worth, such as 0.4
   * @param period in which that much may be used; the shorter, the smoother
   */
  record Processors(double cores, Duration period) implements GroupLimit {}

  /**
   * Requests for reading that they may send to a disk each second.
   *
   * @param disk its major and minor number, such as 254:0
   */
  record ReadRequests(String disk, int perSecond) implements GroupLimit {}

  /** Processes and threads. */
  record Tasks(int most) implements GroupLimit {}

  /** The controller that keeps it, as a version of control groups calls it. */
  default String controller(boolean version2) {
    return switch (this) {
      case Memory any -> "memory";
      case Processors any -> "cpu";
      case ReadRequests any -> version2 ? "io" : "blkio";
      case Tasks any -> "pids";
    };
  }

  /** The file that sets it, and one that there is only where it can be set. */
  default String file(boolean version2) {
    return switch (this) {
      case Memory any -> version2 ? "memory.max" : "memory.limit_in_bytes";
      case Processors any -> version2 ? "cpu.max" : "cpu.cfs_quota_us";
      case ReadRequests any -> version2 ? "io.max" : "blkio.throttle.read_iops_device";
      case Tasks any -> "pids.max";
    };
  }

  /** What to write there. */
  default String value(boolean version2) {
    return switch (this) {
      case Memory(long bytes) -> Long.toString(bytes);
      case Processors(double cores, Duration period) -> {
        long each = period.toNanos() / 1000;
        long quota = Math.round(cores * each);
        yield version2 ? quota + " " + each : Long.toString(quota);
      }
      case ReadRequests(String disk, int perSecond) ->
          String.format(Locale.ROOT, version2 ? "%s riops=%d" : "%s %d", disk, perSecond);
      case Tasks(int most) -> Integer.toString(most);
    };
  }
}
