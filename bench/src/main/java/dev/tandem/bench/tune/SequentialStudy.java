package dev.tandem.bench.tune;

import dev.tandem.core.Seed;
import dev.tandem.tune.sample.Sampler;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.EndedTrials;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;

/** Studies of one trial after the other: ours and the peer's. */
final class SequentialStudy {

  /**
   * How a study went.
   *
   * @param regret the least regret of its trials
   * @param cpuSeconds processor time per trial of the sampler and what keeps its history
   */
  record Result(double regret, double cpuSeconds) {}

  private SequentialStudy() {}

  static Result tandem(Sampler sampler, TestFunction function, long seed, int trials) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    EndedTrials ended = new EndedTrials();
    Seed study = new Seed(seed);
    double best = Double.POSITIVE_INFINITY;
    long cpu = 0;
    for (long number = 0; number < trials; number++) {
      long began = threads.getCurrentThreadCpuTime();
      History history = new History(Direction.MINIMIZE, ended.first(ended.size()), List.of());
      Parameters at = sampler.suggest(function.space(), history, study, number).orElseThrow();
      cpu += threads.getCurrentThreadCpuTime() - began;
      double regret = function.regret(at);
      best = Math.min(best, regret);
      ended.add(Trial.waiting(number, at).complete(regret));
    }
    return new Result(best, cpu / 1e9 / trials);
  }

  static Result optuna(
      OptunaPeer peer, String sampler, TestFunction function, long seed, int trials) {
    double best = Double.POSITIVE_INFINITY;
    Parameters at = peer.begin(sampler, seed, function.space());
    for (int number = 0; number < trials; number++) {
      double regret = function.regret(at);
      best = Math.min(best, regret);
      if (number + 1 < trials) {
        at = peer.next(regret);
      }
    }
    return new Result(best, peer.cpuSeconds() / trials);
  }
}
