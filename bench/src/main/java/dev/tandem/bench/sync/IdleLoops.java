package dev.tandem.bench.sync;

import dev.tandem.bench.Spread;
import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.sync.Synchronizer;
import dev.tandem.sync.policy.SyncOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

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
  private final int repetitions;

  /**
   * A loop beside a synchroniser and the one alone that goes with it; means of both ranks.
   *
   * @param ratio of the loop's time to that of the one alone, median of the round's repetitions
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

  /** What a loop took, and the background thread's part in it. */
  private record Loop(double seconds, double busySeconds) {}

  /**
   * @param steps of a loop
   * @param repetitions of each loop in a round: short ones that alternate see the same machine
   */
  IdleLoops(
      Communicator communicator,
      SyncWorkload workload,
      SyncTraining training,
      int steps,
      int repetitions) {
    this.communicator = communicator;
    this.workload = workload;
    this.training = training;
    this.steps = steps;
    this.repetitions = repetitions;
  }

  /** All loops, one after the other, some times; another one is the first each time. */
  List<Pair> round(int number) {
    List<String> order = new ArrayList<>(POLICIES);
    order.addFirst(ALONE);
    Collections.rotate(order, number);
    Map<String, List<Loop>> loops = new HashMap<>();
    for (int repetition = 0; repetition < repetitions; repetition++) {
      for (String policy : order) {
        communicator.barrier();
        Loop loop = policy.equals(ALONE) ? new Loop(seconds(steps), 0) : beside(policy);
        loops.computeIfAbsent(policy, any -> new ArrayList<>()).add(loop);
      }
      Collections.rotate(order, 1);
    }
    return POLICIES.stream()
        .map(policy -> pair(policy, loops.get(policy), loops.get(ALONE)))
        .toList();
  }

  /**
   * Each loop is compared with the one alone of the same repetition, a second away: the median of
   * these ratios does not show a moment in which the machine was not there at all.
   */
  private Pair pair(String policy, List<Loop> beside, List<Loop> alone) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < repetitions; i++) {
      ratios.add(beside.get(i).seconds() / alone.get(i).seconds());
    }
    double seconds = beside.stream().mapToDouble(Loop::seconds).sum();
    double busy = beside.stream().mapToDouble(Loop::busySeconds).sum();
    return new Pair(
        policy,
        mean(Spread.of(ratios).median()),
        mean(busy / seconds),
        mean(seconds / repetitions / steps * 1e3));
  }

  private Loop beside(String policy) {
    try (Synchronizer _ = training.synchronizer(SyncOptions.of(policy), new BackgroundClock())) {
      // It agrees on a plan first, which is work.
      seconds(1);
      ProcessCounters before = ProcessCounters.read();
      double seconds = seconds(steps);
      ProcessCounters used = ProcessCounters.read().since(before);
      // Nobody says good-bye, which is work too, before the other is done.
      communicator.barrier();
      return new Loop(seconds, used.of(ThreadRole.BACKGROUND).runNanos() / 1e9);
    }
  }

  private double mean(double value) {
    return training.all(value, ReduceOp.AVERAGE);
  }

  /** That so many steps took, behind some that do not count. */
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
