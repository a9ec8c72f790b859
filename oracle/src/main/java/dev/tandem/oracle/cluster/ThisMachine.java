package dev.tandem.oracle.cluster;

import dev.tandem.posix.MachineMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The machine that this runs on as a cluster of one node, whose devices are the cores of its
 * processor. Its peak is told from the instructions and clock that the system names, its bandwidth
 * from copying memory for some milliseconds; a profile ({@code tandem profile}) knows more.
 */
public final class ThisMachine {

  /** As {@code --cluster} takes it. */
  public static final String NAME = "this-machine";

  private static final Path DESCRIPTION = Path.of("/proc/cpuinfo");

  /** Where the system does not tell. */
  private static final double USUAL_HERTZ = 2.5e9;

  private static final Pattern CLOCK = Pattern.compile("cpu MHz\\s*:\\s*([0-9.]+)");

  /** What a message through shared memory takes until the other process has seen it. */
  private static final double LATENCY = 20e-6;

  private static final long COPIED_BYTES = 64L << 20;
  private static final int COPIES = 4;

  private ThisMachine() {}

  /** What is found out now. */
  static Cluster describe() {
    int cores = Math.max(2, Runtime.getRuntime().availableProcessors());
    double bandwidth = copiedBytesPerSecond();
    Device core =
        new Device(
            "core of " + System.getProperty("os.arch"),
            (double) MachineMemory.bytes() / cores,
            operationsPerSecond(),
            0,
            // A copy reads and writes.
            2 * bandwidth / cores);
    Link memory = new Link("memory", cores, LATENCY, bandwidth / 2, 1, 1, false);
    return new Cluster(NAME, 1, cores, core, List.of(memory), Optional.empty());
  }

  /** Of a core in float32: its widest instructions, two at a time, each of two operations. */
  private static double operationsPerSecond() {
    String text = description();
    Matcher clock = CLOCK.matcher(text);
    double hertz = clock.find() ? Double.parseDouble(clock.group(1)) * 1e6 : USUAL_HERTZ;
    int numbers = text.contains("avx512f") ? 16 : text.contains("avx2") ? 8 : 4;
    return hertz * numbers * 4;
  }

  private static String description() {
    try {
      return Files.readString(DESCRIPTION);
    } catch (IOException e) {
      return "";
    }
  }

  private static double copiedBytesPerSecond() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(COPIED_BYTES, 64);
      MemorySegment to = arena.allocate(COPIED_BYTES, 64);
      long least = Long.MAX_VALUE;
      for (int i = 0; i < COPIES; i++) {
        long began = System.nanoTime();
        MemorySegment.copy(from, 0, to, 0, COPIED_BYTES);
        least = Math.min(least, Math.max(1, System.nanoTime() - began));
      }
      return COPIED_BYTES / (least / 1e9);
    }
  }
}
