package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.Engine;
import dev.tandem.parallel.cost.PlanMemory;
import dev.tandem.posix.MachineMemory;
import dev.tandem.train.config.TrainingConfig;
import java.util.Locale;

/** What a user reads when the memory of a rank does not suffice. */
public final class OutOfMemory {

  /** Its value and its gradient. */
  private static final int BYTES_PER_PARAMETER = 2 * Float.BYTES;

  /**
   * Of a device's memory, for tensors: workspaces of kernels, recorded steps, gaps take the rest.
   */
  private static final double USABLE = 0.5;

  private final TrainingConfig config;
  private final int ranks;
  private final int rank;
  private final int localRank;

  private OutOfMemory(TrainingConfig config, int ranks, int rank, int localRank) {
    this.config = config;
    this.ranks = ranks;
    this.rank = rank;
    this.localRank = localRank;
  }

  /**
   * Refuses a split network of which a rank needs more than this machine has.
   *
   * @param ranks all of which are on this machine
   */
  public static void check(TrainingConfig config, int ranks) {
    for (int rank = 0; rank < ranks && !config.strategy().dataParallel(); rank++) {
      new OutOfMemory(config, ranks, rank, rank).check();
    }
  }

  private void check() {
    if (!config.strategy().dataParallel() && plan().total() > MachineMemory.bytes()) {
      throw new UsageException(divided());
    }
  }

  /** Runs the work of a rank; memory that runs out is one line, whichever part needed it. */
  static void explained(TrainingConfig config, Communicator communicator, Runnable work) {
    OutOfMemory memory =
        new OutOfMemory(
            config,
            communicator.size(),
            communicator.rank(),
            communicator.topology().localRank(communicator.rank()));
    memory.check();
    if (config.strategy().dataParallel()
        && config.network().parameterCount() > MachineMemory.bytes() / BYTES_PER_PARAMETER) {
      throw memory.failure(null); // Found out by allocating, it takes minutes.
    }
    try {
      work.run();
    } catch (OutOfMemoryError e) {
      throw memory.failure(e);
    } catch (WorkFailedException e) {
      throw Engine.ranOutOfMemory(e) ? memory.failure(e) : e;
    }
  }

  private PlanMemory plan() {
    return PlannedRank.of(config, ranks, rank).memory();
  }

  private WorkFailedException failure(Throwable cause) {
    if (cause instanceof WorkFailedException && config.chooseDevice().device().gpu()) {
      Engine engine = config.startEngine(1, localRank);
      return new WorkFailedException(
          onDevice(engine.description(), engine.deviceMemory().orElseThrow().total()), cause);
    }
    return new WorkFailedException(
        config.strategy().dataParallel() ? undivided() : divided(), cause);
  }

  /** What would fit, by what is counted for a step of this configuration. */
  private String onDevice(String device, long bytes) {
    PlanMemory plan = plan();
    long fixed = plan.total() - plan.activationBytes();
    int samples = Math.ceilDiv(config.batch().global(), ranks * config.batch().accumulation());
    double each = (double) plan.activationBytes() / samples;
    long fit = (long) (USABLE * (bytes - fixed) / each);
    return fit < 1
        ? "out of memory on %s: parameters, gradients and optimizer alone need %s GiB: use a smaller"
                .formatted(device, gibibytes(fixed))
            + " network, or a strategy that splits it"
        : "out of memory on %s: at most about %,d samples of this network fit at once, fewer where processes"
                .formatted(device, fit)
            + " share it: use a smaller batch.global, a larger batch.accumulation, or more GPUs";
  }

  private String undivided() {
    return "out of memory: the network has %,d parameters and a step %,d samples over all ranks; use a"
            .formatted(config.network().parameterCount(), config.batch().global())
        + " smaller batch.global, a larger batch.accumulation, fewer ranks on this machine, or"
        + " a smaller network";
  }

  private String divided() {
    PlanMemory plan = plan();
    return "out of memory: rank %d needs %s GiB (activations %s, parameters %s, gradients %s,"
            .formatted(
                rank,
                gibibytes(plan.total()),
                gibibytes(plan.activationBytes() + plan.underWay() + plan.exchange()),
                gibibytes(plan.parameters()),
                gibibytes(plan.gradients()))
        + " optimizer %s) with strategy %s: use a smaller batch.global, more ranks, or fewer of them"
            .formatted(gibibytes(plan.state()), config.mesh(ranks))
        + " on this machine";
  }

  private static String gibibytes(long bytes) {
    return String.format(Locale.ROOT, "%.2f", (double) bytes / (1L << 30));
  }
}
