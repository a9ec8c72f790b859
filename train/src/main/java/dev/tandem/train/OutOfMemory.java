package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.Device;
import dev.tandem.nn.Engine;
import dev.tandem.parallel.cost.PlanMemory;
import dev.tandem.posix.MachineMemory;
import dev.tandem.train.config.ComputeConfig;
import dev.tandem.train.config.TrainingConfig;
import java.util.Locale;

/** What a user reads when the memory of a rank does not suffice. */
public final class OutOfMemory {

  /** Its value and its gradient. */
  private static final int BYTES_PER_PARAMETER = 2 * Float.BYTES;

  /** Of a device's memory, for tensors: workspaces of kernels and gaps take the rest. */
  private static final double USABLE = 0.8;

  /** The same where recorded steps keep activations of their own. */
  private static final double USABLE_BESIDE_RECORDINGS = 0.4;

  private final TrainingConfig config;
  private final int ranks;
  private final int rank;
  private final int localRank;
  private final int ranksHere;

  private OutOfMemory(TrainingConfig config, int ranks, int rank, int localRank, int ranksHere) {
    this.config = config;
    this.ranks = ranks;
    this.rank = rank;
    this.localRank = localRank;
    this.ranksHere = ranksHere;
  }

  /**
   * Refuses a split network of which a rank needs more than this machine has.
   *
   * @param ranks all of which are on this machine
   */
  public static void check(TrainingConfig config, int ranks) {
    for (int rank = 0; rank < ranks && !config.strategy().dataParallel(); rank++) {
      new OutOfMemory(config, ranks, rank, rank, ranks).check();
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
            communicator.topology().localRank(communicator.rank()),
            communicator.topology().localSize(communicator.rank()));
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
      return new WorkFailedException(onDevice(config.startEngine(1, localRank)), cause);
    }
    return new WorkFailedException(
        config.strategy().dataParallel() ? undivided() : divided(), cause);
  }

  /** What fits, by what is counted for a step of this configuration. */
  private String onDevice(Engine engine) {
    int passes = ranks * config.batch().accumulation();
    PlanMemory plan = plan();
    long growing = plan.activationBytes() + plan.underWay();
    long fixed = plan.total() - growing;
    double sample = (double) growing / Math.ceilDiv(config.batch().global(), passes);
    long counted = (long) ((usable(engine.deviceMemory().orElseThrow()) - fixed) / sample);
    long most = config.batch().most();
    long fit = Math.min(counted, most / passes / 2); // all of it did not
    String key = config.batch().grow().isPresent() ? "batch.grow.limit" : "batch.global";
    return "out of memory on %s: ".formatted(engine.description())
        + (fit < 1
            ? "a sample needs %s GiB, parameters, gradients and optimizer %s GiB: use a smaller network, or a"
                    .formatted(gibibytes((long) sample), gibibytes(fixed))
                + " strategy that splits it"
            : "%d samples fit at once: set %s to %d (it is %d), or batch.accumulation to %d"
                .formatted(fit, key, fit * passes, most, Math.ceilDiv(most, ranks * fit)));
  }

  /** Bytes of the device for tensors of this rank. */
  private double usable(Engine.DeviceMemory memory) {
    int sharing =
        config.chooseDevice().device().equals(Device.GPUS)
            ? Math.ceilDiv(ranksHere, Engine.gpus().size())
            : ranksHere;
    boolean records = config.compute().graph() == ComputeConfig.Graph.AUTO;
    return (records ? USABLE_BESIDE_RECORDINGS : USABLE)
        * Math.min(memory.available(), memory.total() / sharing);
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
