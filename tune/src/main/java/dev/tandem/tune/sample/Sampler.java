package dev.tandem.tune.sample;

import dev.tandem.core.Seed;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.History;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Chooses the parameters of trials. A pure function: the same arguments give the same parameters,
 * in any process, whatever was asked before; what an implementation keeps between calls may only
 * save time. Called by one thread at a time.
 */
@FunctionalInterface
public interface Sampler {

  /**
   * Parameters to try.
   *
   * @param history what may be used
   * @param study the seed of the study; {@link #random} derives streams from it
   * @param trial the number of the trial
   * @return none if there is nothing left to try
   */
  Optional<Parameters> suggest(Space space, History history, Seed study, long trial);

  /** The random numbers of one parameter of one trial; another parameter changes none of them. */
  static SplittableRandom random(Seed study, long trial, String parameter) {
    return study.derive("sampler").derive(trial).derive(parameter).random();
  }
}
