package dev.tandem.train;

import dev.tandem.core.Seed;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.train.config.TrainingConfig;

/** What a rank trains with; all of it belongs to the caller. */
record StepContext(TrainingConfig config, RankNetwork rank, Optimizer optimizer) {

  RankGroups groups() {
    return rank.groups();
  }

  LocalNetwork local() {
    return rank.local();
  }

  Network network() {
    return rank.network();
  }

  /** Where dropout masks come from. */
  Seed dropout() {
    return new Seed(config.seed()).derive("dropout");
  }
}
