package dev.tandem.bench.sync;

import dev.tandem.bench.WarmUp;
import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.Affinity;
import java.util.BitSet;
import java.util.List;

/**
 * One rank of {@code tandem bench sync}; see {@code Note [one core a rank]}. Rank 0 prints a line
 * for each turn.
 */
public final class SyncRankMain {

  /** What lines begin with. */
  static final String TURN = "turn";

  static final String IDLE = "idle";
  static final String SAME = "same";

  private final Communicator communicator;
  private final SyncWorkload workload;
  private final SyncEffort effort;
  private final SyncTraining training;

  private SyncRankMain(Communicator communicator, SyncWorkload workload, SyncEffort effort) {
    this.communicator = communicator;
    this.workload = workload;
    this.effort = effort;
    this.training = new SyncTraining(communicator, workload);
  }

  /** Measures everything; arguments as {@link SyncEffort#arguments} has them. */
  public static void main(String[] arguments) {
    Reduction.prepare();
    long began = System.nanoTime();
    try (Communicator communicator = Communicator.join()) {
      pin(communicator.rank());
      SyncEffort effort = SyncEffort.of(arguments);
      try (SyncWorkload workload = new SyncWorkload(communicator, effort.images())) {
        new SyncRankMain(communicator, workload, effort).run(began);
      }
    }
  }

  /** All threads of this process share one core. */
  private static void pin(int rank) {
    Affinity affinity = Affinity.capability().orElseThrow();
    int[] cores = affinity.current().stream().toArray();
    BitSet one = new BitSet();
    one.set(cores[rank % cores.length]);
    affinity.pinProcess(one);
  }

  private void run(long began) {
    List<SyncTurn> turns = effort.turns();
    warmUp();
    checkParameters();
    idle();
    long first = System.nanoTime();
    for (int round = 0; round < effort.rounds() && fits(began, first, round); round++) {
      for (SyncTurn turn : round % 2 == 0 ? turns : turns.reversed()) {
        SyncMeasurement measured = training.run(turn, effort.steps());
        print("%s %d %s %s".formatted(TURN, round, turn, measured.line()));
      }
    }
  }

  /**
   * Trains under every policy with every input until the JVM has compiled what there is to compile:
   * its compilers have no core but this one, and would take it from the turn that is measured.
   */
  private void warmUp() {
    WarmUp.run(
        effort.warmUp(),
        () -> {
          for (SyncTurn turn : effort.warmUpTurns()) {
            training.run(turn, SyncTraining.WARM_UP);
          }
        },
        share -> training.all(share, ReduceOp.MAX));
  }

  /** Whether there is time for another round, if it takes as long as those before. */
  private boolean fits(long began, long first, int round) {
    long now = System.nanoTime();
    long each = round == 0 ? 0 : (now - first) / round;
    boolean fits = round == 0 || now - began + each <= effort.limit().toNanos();
    // All ranks must come to the same answer.
    return training.all(fits ? 1 : 0, ReduceOp.MIN) > 0;
  }

  private void print(String line) {
    if (communicator.rank() == 0) {
      System.out.println(line);
    }
  }

  /** Every policy must lead to the same parameters, bit by bit. */
  private void checkParameters() {
    long expected = 0;
    for (String policy : effort.policies()) {
      SyncTurn turn = new SyncTurn(policy, SyncInput.SYNTHETIC, 1);
      if (!turn.synchronises()) {
        continue;
      }
      long digest = training.run(turn, effort.checkSteps() - SyncTraining.WARM_UP).digest();
      if (expected != 0 && digest != expected) {
        throw new WorkFailedException(
            "after %d steps the parameters under %s differ from those under %s"
                .formatted(effort.checkSteps(), policy, effort.policies().getFirst()));
      }
      expected = digest;
    }
    print("%s %d %08x".formatted(SAME, effort.checkSteps(), expected));
  }

  private void idle() {
    IdleLoops loops = new IdleLoops(communicator, workload, training, effort.steps());
    for (int round = 0; round < effort.idlePairs(); round++) {
      loops.round().forEach(pair -> print("%s %s".formatted(IDLE, pair.line())));
    }
  }
}
