package dev.tandem.train;

import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.Engine;
import dev.tandem.posix.MachineMemory;
import dev.tandem.train.config.TrainingConfig;

/** What a user reads when the memory of a rank does not suffice. */
final class OutOfMemory {

  /** Its value and its gradient. */
  private static final int BYTES_PER_PARAMETER = 2 * Float.BYTES;

  private OutOfMemory() {}

  /** Runs the work; memory that runs out is one line, whichever part needed it. */
  static void explained(TrainingConfig config, Runnable work) {
    if (config.network().parameterCount() > MachineMemory.bytes() / BYTES_PER_PARAMETER) {
      throw failure(config, null); // Found out by allocating, it takes minutes.
    }
    try {
      work.run();
    } catch (OutOfMemoryError e) {
      throw failure(config, e);
    } catch (WorkFailedException e) {
      throw Engine.ranOutOfMemory(e) ? failure(config, e) : e;
    }
  }

  private static WorkFailedException failure(TrainingConfig config, Throwable cause) {
    return new WorkFailedException(
        "out of memory: the network has %,d parameters and a step %,d samples over all ranks; use a"
                .formatted(config.network().parameterCount(), config.batch().global())
            + " smaller batch.global, a larger batch.accumulation, fewer ranks on this machine, or"
            + " a smaller network",
        cause);
  }
}
