package dev.tandem.comm.launch;

import dev.tandem.core.UsageException;
import dev.tandem.posix.MachineMemory;

/**
 * How many processes of a job this machine supports. Far more than it has cores is a typing error,
 * which would fill the memory before anybody could stop it.
 */
record LocalCapacity(int processors, long bytes) {

  private static final int RANKS_PER_PROCESSOR = 64;
  private static final long BYTES_PER_RANK = 64L << 20; // a rank that does nothing but meet

  static LocalCapacity here() {
    return new LocalCapacity(Runtime.getRuntime().availableProcessors(), MachineMemory.bytes());
  }

  /** Refuses a job that puts more ranks on this machine than it supports. */
  void check(long ranks) {
    long most =
        Math.max(1, Math.min((long) processors * RANKS_PER_PROCESSOR, bytes / BYTES_PER_RANK));
    if (ranks > most) {
      throw new UsageException(
          "this machine supports at most %d processes (%d cores, %.1f GiB), not %,d"
              .formatted(most, processors, bytes / (double) (1 << 30), ranks));
    }
  }
}
