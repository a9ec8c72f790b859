package dev.tandem.comm.device;

import dev.tandem.comm.Communicator;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Sums parts of the memory of devices over ranks, several megabytes at a time: neighbours in memory
 * travel together. All ranks make one together, add the same parts in the same order, and {@link
 * #await} once for each step. One thread.
 */
public final class BucketedSum implements AutoCloseable {

  /** Bytes that are worth a transfer. */
  private static final long ENOUGH = 4L << 20;

  /** Wider gaps between parts are not alignment. */
  private static final long GAP_BYTES = 64;

  /** Bytes of the memory, from and to. */
  private record Range(long from, long to) {}

  private final DeviceSum sum;
  private final List<Range> ready = new ArrayList<>();
  private long bytes;

  /**
   * Sums over these ranks, which are borrowed to form a group of its own.
   *
   * @param memory of the same size on all ranks
   */
  public BucketedSum(Communicator ranks, DeviceMemory memory) {
    sum = new DeviceSum(ranks, memory);
  }

  /** Which way parts take, for a person. */
  public String way() {
    return sum.way();
  }

  /** A part is computed, or will be by what the device was given so far. */
  public void add(long offset, long length) {
    ready.add(new Range(offset, offset + length));
    bytes += length;
    if (bytes >= ENOUGH) {
      flush();
    }
  }

  /** What is computed from now on sees the sums of all parts. */
  public void await() {
    flush();
    sum.await();
  }

  private void flush() {
    ready.sort(Comparator.comparingLong(Range::from));
    Range joined = null;
    for (Range range : ready) {
      if (joined != null && range.from - joined.to < GAP_BYTES) {
        joined = new Range(joined.from, range.to);
      } else {
        submit(joined);
        joined = range;
      }
    }
    submit(joined);
    ready.clear();
    bytes = 0;
  }

  private void submit(Range range) {
    if (range != null) {
      sum.submit(range.from, range.to - range.from);
    }
  }

  @Override
  public void close() {
    sum.close();
  }
}
