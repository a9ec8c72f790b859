package dev.tandem.comm.launch;

import dev.tandem.core.UsageException;
import dev.tandem.posix.MachineMemory;

/**
 * How many processes of a job this machine can bear. Far more than it has processors is a mistake
 * in typing, which would fill the memory before anybody could take it back.
 */
record LocalRoom(int processors, long bytes) {

  private static final int RANKS_PER_PROCESSOR = 64;
  private static final long BYTES_PER_RANK = 64L << 20; // a rank that does nothing but meet

  static LocalRoom here() {
    return new LocalRoom(Runtime.getRuntime().availableProcessors(), MachineMemory.bytes());
  }

  /** Refuses a job that puts more ranks on this machine than it bears. */
  void check(long ranks) {
    long most =
        Math.max(1, Math.min((long) processors * RANKS_PER_PROCESSOR, bytes / BYTES_PER_RANK));
    if (ranks > most) {
      throw new UsageException(
          "%,d processes are too many for this machine: its %d processors and %.1f GiB bear %d"
              .formatted(ranks, processors, bytes / (double) (1 << 30), most));
    }
  }
}
