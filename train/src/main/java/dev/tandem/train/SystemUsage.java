package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.transport.Traffic;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * What the process of a rank uses of its machine. What the system does not count is 0. One thread.
 */
final class SystemUsage {

  private static final Path SELF = Path.of("/proc/self");
  private static final int FIGURES = 8;
  private static final int KIB = 1024;

  private final Communicator communicator;
  private final IntSupplier readyBatches;
  private Counters before;

  /** What only grows. */
  private record Counters(
      long nanos, long cpuNanos, long collectionMillis, long read, long written, long moved) {}

  /**
   * Counts from now on.
   *
   * @param readyBatches how many the loader has ready
   */
  SystemUsage(Communicator communicator, IntSupplier readyBatches) {
    this.communicator = communicator;
    this.readyBatches = readyBatches;
    this.before = counters();
  }

  /** That of all ranks since the last time; all call this together, between two steps. */
  TrainingEvent.SystemLoad collect(long step) {
    Counters now = counters();
    double seconds = Math.max(1e-3, (now.nanos - before.nanos) / 1e9);
    Runtime runtime = Runtime.getRuntime();
    long[] mine = {
      Math.round((now.cpuNanos - before.cpuNanos) / 1e7 / seconds),
      KIB * figure("status", "\nVmRSS:"),
      runtime.totalMemory() - runtime.freeMemory(),
      now.collectionMillis - before.collectionMillis,
      now.read - before.read,
      now.written - before.written,
      now.moved - before.moved,
      readyBatches.getAsInt()
    };
    before = now;
    long[] all = new long[FIGURES * communicator.size()];
    communicator.allgather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all));
    return new TrainingEvent.SystemLoad(
        step,
        (float) seconds,
        column(all, 0),
        column(all, 1),
        column(all, 2),
        column(all, 3),
        column(all, 4),
        column(all, 5),
        column(all, 6),
        column(all, 7));
  }

  private static List<Long> column(long[] all, int figure) {
    List<Long> column = new ArrayList<>();
    for (int at = figure; at < all.length; at += FIGURES) {
      column.add(all[at]);
    }
    return column;
  }

  private Counters counters() {
    Traffic traffic = communicator.traffic();
    return new Counters(
        System.nanoTime(),
        ProcessHandle.current().info().totalCpuDuration().map(Duration::toNanos).orElse(0L),
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .mapToLong(GarbageCollectorMXBean::getCollectionTime)
            .filter(millis -> millis > 0)
            .sum(),
        figure("io", "\nread_bytes:"),
        figure("io", "\nwrite_bytes:"),
        traffic.bytesSent() + traffic.bytesReceived());
  }

  /** The number after a label in a file of the kernel about this process. */
  private static long figure(String file, String label) {
    try {
      String text = new String(Files.readAllBytes(SELF.resolve(file)), StandardCharsets.US_ASCII);
      int at = text.indexOf(label);
      if (at < 0) {
        return 0;
      }
      String rest = text.substring(at + label.length()).stripLeading();
      int end = 0;
      while (end < rest.length() && Character.isDigit(rest.charAt(end))) {
        end++;
      }
      return end == 0 ? 0 : Long.parseLong(rest.substring(0, end));
    } catch (IOException e) {
      return 0; // not Linux, or not allowed
    }
  }
}
