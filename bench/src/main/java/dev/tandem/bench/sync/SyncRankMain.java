package dev.tandem.bench.sync;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.Affinity;
import dev.tandem.sync.Synchronizer;
import dev.tandem.sync.plan.TrainingGraph;
import dev.tandem.sync.policy.SyncOptions;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;

/**
 * One rank of {@code tandem bench sync}; see {@code Note [one core a rank]}. Rank 0 prints a line
 * for each turn.
 */
public final class SyncRankMain {

  /** What lines begin with. */
  static final String TURN = "turn";

  static final String IDLE = "idle";
  static final String SAME = "same";

  /** Dropped: they live on what was decoded meanwhile, and plans are agreed on in them. */
  private static final int WARM_UP = 4;

  private static final int COMPILING_STEPS = 120;

  private final Communicator communicator;
  private final SyncWorkload workload;
  private final SyncEffort effort;

  private SyncRankMain(Communicator communicator, SyncWorkload workload, SyncEffort effort) {
    this.communicator = communicator;
    this.workload = workload;
    this.effort = effort;
  }

  /** Measures everything; arguments as {@link SyncEffort#arguments} has them. */
  public static void main(String[] arguments) {
    long began = System.nanoTime();
    try (Communicator communicator = Communicator.join()) {
      pin(communicator.rank());
      try (SyncWorkload workload = new SyncWorkload(communicator)) {
        new SyncRankMain(communicator, workload, SyncEffort.of(arguments)).run(began);
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
    for (SyncInput input : SyncInput.values()) {
      train(new SyncTurn("topo", input, 1), COMPILING_STEPS / 3);
    }
    checkParameters();
    idle();
    List<SyncTurn> turns = effort.turns();
    // A first lap that does not count: whatever has to be compiled is.
    List<SyncTurn> once =
        turns.stream().filter(turn -> turn.input() == SyncInput.SYNTHETIC).toList();
    once.forEach(turn -> train(turn, WARM_UP));
    long first = System.nanoTime();
    for (int round = 0; round < effort.rounds() && fits(began, first, round); round++) {
      for (SyncTurn turn : round % 2 == 0 ? turns : turns.reversed()) {
        SyncMeasurement measured = train(turn, effort.steps());
        print("%s %d %s %s".formatted(TURN, round, turn, measured.line()));
      }
    }
  }

  /** Whether there is time for another round, if it takes as long as those before. */
  private boolean fits(long began, long first, int round) {
    long now = System.nanoTime();
    long each = round == 0 ? 0 : (now - first) / round;
    boolean fits = round == 0 || now - began + each <= effort.limit().toNanos();
    // All ranks must come to the same answer.
    return all(fits ? 1 : 0, ReduceOp.MIN) > 0;
  }

  /** The synchroniser's thread, and that of the collectives that it starts. */
  private static boolean background(String thread) {
    return thread.startsWith("tandem-sync-") || thread.startsWith("tandem-progress");
  }

  private static ThreadCounters backgroundCounters() {
    return ThreadCounters.read(SyncRankMain::background);
  }

  private void print(String line) {
    if (communicator.rank() == 0) {
      System.out.println(line);
    }
  }

  private double all(double value, ReduceOp op) {
    double[] values = {value};
    communicator.allreduce(MemorySegment.ofArray(values), DType.FLOAT64, op);
    return values[0];
  }

  private Synchronizer synchronizer(SyncOptions options, BackgroundClock clock) {
    return Synchronizer.over(communicator, options)
        .planning(TrainingGraph.of(workload.network().gradientGraph()))
        .gradients(workload.network().gradientBuffer(), workload.network().gradients())
        .observedBy(clock)
        .start();
  }

  private SyncMeasurement train(SyncTurn turn, int steps) {
    BackgroundClock clock = new BackgroundClock();
    long[] nanos = new long[steps];
    workload.reset();
    communicator.barrier();
    try (SyncWorkload.Feed feed = workload.new Feed(turn, WARM_UP + steps);
        Synchronizer synchronizer = synchronizer(turn.options(), clock)) {
      for (int step = 0; step < WARM_UP; step++) {
        step(feed, synchronizer, step);
      }
      clock.begin();
      ThreadCounters before = backgroundCounters();
      long began = System.nanoTime();
      for (int step = 0; step < steps; step++) {
        long last = System.nanoTime();
        step(feed, synchronizer, WARM_UP + step);
        nanos[step] = System.nanoTime() - last;
      }
      double passed = System.nanoTime() - began;
      ThreadCounters used = backgroundCounters().since(before);
      long waited = clock.waitNanos();
      communicator.barrier();
      Arrays.sort(nanos);
      return new SyncMeasurement(
          all(passed / steps / 1e6, ReduceOp.AVERAGE),
          all(nanos[(int) (0.95 * (steps - 1))] / 1e6, ReduceOp.AVERAGE),
          all(used.runNanos() / passed, ReduceOp.AVERAGE),
          all(waited / passed, ReduceOp.AVERAGE),
          all((double) used.involuntarySwitches() / steps, ReduceOp.AVERAGE),
          all(clock.oversleepMicros(), ReduceOp.AVERAGE),
          agreedDigest(turn));
    }
  }

  private void step(SyncWorkload.Feed feed, Synchronizer synchronizer, int step) {
    float weight = 1f / communicator.size();
    workload.gradients(feed.next(), step, gradient -> synchronizer.submit(gradient, weight));
    synchronizer.await();
    workload.update();
  }

  /** Of the parameters, which all ranks have alike. */
  private long agreedDigest(SyncTurn turn) {
    long digest = workload.digest();
    if (all((double) digest, ReduceOp.MIN) != all((double) digest, ReduceOp.MAX)) {
      throw new WorkFailedException("the ranks have different parameters after " + turn);
    }
    return digest;
  }

  /** Every policy must lead to the same parameters, bit by bit. */
  private void checkParameters() {
    long expected = 0;
    for (String policy : effort.policies()) {
      SyncTurn turn = new SyncTurn(policy, SyncInput.SYNTHETIC, 1);
      long digest = train(turn, effort.checkSteps() - WARM_UP).digest();
      if (expected != 0 && digest != expected) {
        throw new WorkFailedException(
            "after %d steps the parameters under %s differ from those under %s"
                .formatted(effort.checkSteps(), policy, effort.policies().getFirst()));
      }
      expected = digest;
    }
    print("%s %d %08x".formatted(SAME, effort.checkSteps(), expected));
  }

  /** A loop that sums nothing, with an idle synchroniser beside it and without. */
  private void idle() {
    for (int pair = 0; pair < effort.idlePairs(); pair++) {
      double[] seconds = new double[2];
      double share = 0;
      for (int i = 0; i < 2; i++) {
        boolean with = (pair + i) % 2 == 0;
        communicator.barrier();
        if (with) {
          try (Synchronizer _ = synchronizer(SyncOptions.of("topo"), new BackgroundClock())) {
            serialSteps(2);
            ThreadCounters before = backgroundCounters();
            seconds[1] = serialSteps(effort.steps());
            share = backgroundCounters().since(before).runNanos() / 1e9 / seconds[1];
            communicator.barrier();
          }
        } else {
          serialSteps(2);
          seconds[0] = serialSteps(effort.steps());
        }
      }
      print(
          String.format(
              Locale.ROOT,
              "%s %.6f %.6f %.6f",
              IDLE,
              all(seconds[1] / seconds[0], ReduceOp.AVERAGE),
              all(share, ReduceOp.AVERAGE),
              all(seconds[1] / effort.steps() * 1e3, ReduceOp.AVERAGE)));
    }
  }

  private double serialSteps(int steps) {
    long began = System.nanoTime();
    SyncTurn nothing = new SyncTurn("topo", SyncInput.SYNTHETIC, 1);
    try (SyncWorkload.Feed feed = workload.new Feed(nothing, steps)) {
      for (int step = 0; step < steps; step++) {
        workload.gradients(feed.next(), step, gradient -> {});
        workload.update();
      }
    }
    return (System.nanoTime() - began) / 1e9;
  }
}
