package dev.tandem.bench.sync;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.sync.Synchronizer;
import dev.tandem.sync.policy.SyncOptions;
import java.util.List;
import java.util.Locale;

/**
 * A training loop that sums nothing, alone and beside an idle synchroniser of each of two policies:
 * ours, and the baseline, of which users of Horovod complain. For one thread.
 */
final class IdleLoops {

  /** The synchronisers that do nothing. */
  static final List<String> POLICIES = List.of("topo", SyncEffort.BASELINE);

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
   * @param millis per step
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

  /**
   * @param steps of a loop
   */
  IdleLoops(Communicator communicator, SyncWorkload workload, SyncTraining training, int steps) {
    this.communicator = communicator;
    this.workload = workload;
    this.training = training;
    this.steps = steps;
  }

  /** A pair for each policy: the loop alone, then the loop beside its synchroniser. */
  List<Pair> round() {
    return POLICIES.stream().map(policy -> beside(policy, alone())).toList();
  }

  private double alone() {
    communicator.barrier();
    return seconds(steps);
  }

  private Pair beside(String policy, double alone) {
    communicator.barrier();
    try (Synchronizer _ = training.synchronizer(SyncOptions.of(policy), new BackgroundClock())) {
      // It agrees on a plan first, which is work.
      seconds(1);
      ProcessCounters before = ProcessCounters.read();
      double seconds = seconds(steps);
      ProcessCounters used = ProcessCounters.read().since(before);
      // No rank closes its synchroniser, which is work too, before the others are done.
      communicator.barrier();
      return new Pair(
          policy,
          mean(seconds / alone),
          mean(used.of(ThreadRole.BACKGROUND).runNanos() / 1e9 / seconds),
          mean(seconds / steps * 1e3));
    }
  }

  private double mean(double value) {
    return training.all(value, ReduceOp.AVERAGE);
  }

  /** The time of a number of steps, after some that do not count. */
  private double seconds(int count) {
    try (SyncWorkload.Feed feed =
        workload.new Feed(new SyncTurn("topo", SyncInput.SYNTHETIC, 1), WARM_UP + count)) {
      long began = 0;
      for (int step = 0; step < WARM_UP + count; step++) {
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
