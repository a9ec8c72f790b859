package dev.tandem.bench.sync;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.sync.Synchronizer;
import dev.tandem.sync.policy.SyncOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * A training loop that sums nothing, alone and beside an idle synchroniser of each of two policies:
 * ours, and the baseline, of which users of Horovod complain. For one thread.
 */
final class IdleLoops {

  /** The synchronisers that do nothing. */
  static final List<String> POLICIES = List.of("topo", SyncEffort.BASELINE);

  private static final String ALONE = "";
  private static final int WARM_UP = 2;

  private final Communicator communicator;
  private final SyncWorkload workload;
  private final SyncTraining training;
  private final int steps;

  /**
   * A loop beside a synchroniser and the one alone that goes with it; means of both ranks.
   *
   * @param ratio of the loop's time to that of the one alone
   * @param share of a core that the background thread used
   * @param millis of a step
   */
  record Pair(String policy, double ratio, double share, double millis) {

    String line() {
      return String.format(Locale.ROOT, "%s %.6f %.6f %.6f", policy, ratio, share, millis);
    }

    static Pair of(String[] words, int from) {
      return new Pair(
          words[from],
          Double.parseDouble(words[from + 1]),
          Double.parseDouble(words[from + 2]),
          Double.parseDouble(words[from + 3]));
    }
  }

  /** What one loop took, and the background thread meanwhile. */
  private record Loop(String policy, double seconds, double share) {}

  /** Loops of so many steps. */
  IdleLoops(Communicator communicator, SyncWorkload workload, SyncTraining training, int steps) {
    this.communicator = communicator;
    this.workload = workload;
    this.training = training;
    this.steps = steps;
  }

  /** All loops, one after the other; another one is the first each time. */
  List<Pair> round(int number) {
    List<String> order = new ArrayList<>(POLICIES);
    order.addFirst(ALONE);
    Collections.rotate(order, number);
    double alone = 0;
    List<Loop> loops = new ArrayList<>();
    for (String policy : order) {
      communicator.barrier();
      if (policy.equals(ALONE)) {
        alone = seconds();
      } else {
        loops.add(beside(policy));
      }
    }
    List<Pair> pairs = new ArrayList<>();
    for (Loop loop : loops) {
      pairs.add(
          new Pair(
              loop.policy(),
              mean(loop.seconds() / alone),
              mean(loop.share()),
              mean(loop.seconds() / steps * 1e3)));
    }
    return pairs;
  }

  private Loop beside(String policy) {
    try (Synchronizer _ = training.synchronizer(SyncOptions.of(policy), new BackgroundClock())) {
      ProcessCounters before = ProcessCounters.read();
      long began = System.nanoTime();
      double seconds = seconds();
      double passed = System.nanoTime() - began;
      ProcessCounters used = ProcessCounters.read().since(before);
      // Nobody says good-bye, which is work, before the other is done.
      communicator.barrier();
      return new Loop(policy, seconds, used.of(ThreadRole.BACKGROUND).runNanos() / passed);
    }
  }

  private double mean(double value) {
    return training.all(value, ReduceOp.AVERAGE);
  }

  /** Of the steps that count. */
  private double seconds() {
    try (SyncWorkload.Feed feed =
        workload.new Feed(new SyncTurn("topo", SyncInput.SYNTHETIC, 1), WARM_UP + steps)) {
      long began = 0;
      for (int step = 0; step < WARM_UP + steps; step++) {
        if (step == WARM_UP) {
          began = System.nanoTime();
        }
        workload.gradients(feed.next(), step, gradient -> {});
        workload.update();
      }
      return (System.nanoTime() - began) / 1e9;
    }
  }
}
