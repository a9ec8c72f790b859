package dev.tandem.bench.tune;

import dev.tandem.core.Seed;
import dev.tandem.tune.prune.Decision;
import dev.tandem.tune.prune.HalvingPruner;
import dev.tandem.tune.prune.Pruner;
import dev.tandem.tune.sample.RandomSampler;
import dev.tandem.tune.sample.Sampler;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.EndedTrials;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Report;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.util.ArrayList;
import java.util.List;

/**
 * Seconds of recorded training until a random search, with and without successive halving, has an
 * error as small as that of the best hundredth of the table.
 */
final class TimeToTarget {

  private static final double BEST = 0.01;
  private static final int MOST_TRIALS = 4000;
  private static final Pruner HALVING = new HalvingPruner(1, 4);

  private final GlyphTable table;
  private final double target;

  TimeToTarget(GlyphTable table) {
    this.table = table;
    double[] sorted = table.sortedLastErrors();
    target = sorted[(int) (BEST * sorted.length)];
  }

  double target() {
    return target;
  }

  /** The median over seeds with and without halving, as one row. */
  TuneRow row(int seeds) {
    List<Double> halving = new ArrayList<>();
    List<Double> whole = new ArrayList<>();
    for (int seed = 0; seed < seeds; seed++) {
      halving.add(seconds(HALVING, seed));
      whole.add(seconds(Pruner.NONE, seed));
    }
    return TuneRow.of(
        "time-to-target",
        "halving against random, glyph-table, error " + target,
        QualityCase.median(halving),
        QualityCase.median(whole));
  }

  private double seconds(Pruner pruner, long seed) {
    Sampler sampler = new RandomSampler();
    EndedTrials ended = new EndedTrials();
    double spent = 0;
    for (long number = 0; number < MOST_TRIALS; number++) {
      History history = new History(Direction.MINIMIZE, ended.first(ended.size()), List.of());
      Parameters at =
          sampler.suggest(GlyphTable.space(), history, new Seed(seed), number).orElseThrow();
      int row = GlyphTable.row(at);
      List<Report> reports = new ArrayList<>();
      Trial trial = Trial.waiting(number, at);
      TrialState state = TrialState.COMPLETE;
      for (int epoch = 1; epoch <= GlyphTable.EPOCHS; epoch++) {
        spent += table.epochSeconds(row);
        reports.add(new Report(epoch, table.error(row, epoch)));
        if (table.error(row, epoch) <= target) {
          return spent;
        }
        trial = trial.running(reports);
        if (pruner.decide(trial, history) instanceof Decision.Stop) {
          state = TrialState.PRUNED;
          break;
        }
      }
      ended.add(new Trial(number, at, state, reports.getLast().value(), reports, false, "", 0));
    }
    return spent;
  }
}
