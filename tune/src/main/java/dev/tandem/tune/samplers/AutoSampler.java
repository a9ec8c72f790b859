package dev.tandem.tune.samplers;

import dev.tandem.core.Seed;
import dev.tandem.tune.sample.Sampler;
import dev.tandem.tune.sample.gp.GpSampler;
import dev.tandem.tune.sample.tpe.TpeSampler;
import dev.tandem.tune.sample.tpe.TpeSettings;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A Gaussian process for small searches of expensive trials without conditions, else TPE. Whether
 * trials are expensive is what the first ten took, so it is known again when a study resumes.
 */
public final class AutoSampler implements Sampler {

  private static final int MOST_PARAMETERS = 15;
  private static final long MOST_TRIALS = 200;
  private static final int JUDGED = 10;
  private static final double EXPENSIVE_SECONDS = 1;

  private final Sampler tpe = new TpeSampler(TpeSettings.TANDEM);
  private final Sampler gp = new GpSampler(tpe);
  private final OptionalLong budget;

  /**
   * A sampler.
   *
   * @param budget how many trials the study is to have, if that is known
   */
  public AutoSampler(OptionalLong budget) {
    this.budget = budget;
  }

  @Override
  public Optional<Parameters> suggest(Space space, History history, Seed study, long trial) {
    boolean small =
        budget.isPresent()
            && budget.getAsLong() <= MOST_TRIALS
            && space.parameters().size() <= MOST_PARAMETERS
            && !space.conditional();
    return (small && expensive(history) ? gp : tpe).suggest(space, history, study, trial);
  }

  private static boolean expensive(History history) {
    return history.ended().size() >= JUDGED
        && history.ended().stream().limit(JUDGED).mapToDouble(Trial::seconds).average().orElse(0)
            >= EXPENSIVE_SECONDS;
  }
}
