package dev.tandem.oracle.read;

import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/**
 * Measures in a second what a page costs on this machine, through a mapping and through explicit
 * reads, when it is in the page cache. Leaves no file.
 */
public final class LocalProbe {

  private static final int BYTES = 64 << 20;
  private static final int ROUNDS = 5;

  private LocalProbe() {}

  /** A calibration with the costs of this machine's pages, measured in a folder. */
  public static Calibration measure(Calibration calibration, Path folder) {
    try {
      Path file = Files.createTempFile(folder, "tandem-probe", ".bytes");
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 20);
        for (int written = 0; written < BYTES; written += bytes.capacity()) {
          channel.write(bytes.clear());
        }
        double mapped = Double.MAX_VALUE;
        double requested = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
          mapped = Math.min(mapped, mapped(channel));
          requested = Math.min(requested, requested(channel));
        }
        String what =
            String.format(
                Locale.ROOT,
                "pages measured here: %.2f microseconds mapped, %.2f read",
                mapped * 1e6,
                requested * 1e6);
        return calibration.with(what, mapped, requested);
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw FileErrors.failure("measure in", folder, e);
    }
  }

  /** Seconds for a page of a fresh mapping, copied as a reader would. */
  private static double mapped(FileChannel channel) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment map = channel.map(FileChannel.MapMode.READ_ONLY, 0, BYTES, arena);
      MemorySegment page = MemorySegment.ofArray(new byte[SimulatedWorkload.PAGE]);
      long sum = 0;
      long began = System.nanoTime();
      for (int at = 0; at < BYTES; at += SimulatedWorkload.PAGE) {
        MemorySegment.copy(map, at, page, 0, SimulatedWorkload.PAGE);
        sum += page.get(ValueLayout.JAVA_BYTE, 0);
      }
      return perPage(began, sum);
    }
  }

  /** Seconds for a page by a request of its own. */
  private static double requested(FileChannel channel) throws IOException {
    ByteBuffer page = ByteBuffer.allocateDirect(SimulatedWorkload.PAGE);
    long sum = 0;
    long began = System.nanoTime();
    for (int at = 0; at < BYTES; at += SimulatedWorkload.PAGE) {
      sum += channel.read(page.clear(), at);
    }
    return perPage(began, sum - BYTES);
  }

  /** The sum is 0; that it is looked at keeps the loop. */
  private static double perPage(long began, long sum) {
    double seconds = (System.nanoTime() - began) / 1e9;
    if (sum != 0) {
      throw new IllegalStateException("the probe's file changed while it was read");
    }
    return seconds / (BYTES / SimulatedWorkload.PAGE);
  }
}
