package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.collective.Determinism;
import dev.tandem.core.Seed;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.train.config.TrainingConfig;
import java.util.Optional;
import java.util.stream.IntStream;

/** What a rank that holds the whole network trains with; all of it belongs to the caller. */
record StepContext(
    TrainingConfig config, Communicator communicator, Network network, Optimizer optimizer) {

  /** The same ranks, whose sums promise as much as this level does. */
  StepContext at(Determinism level) {
    return new StepContext(config, communicator.at(level), network, optimizer);
  }

  /** Where dropout masks come from. */
  Seed dropout() {
    return new Seed(config.seed()).derive("dropout");
  }

  /**
   * All ranks as a group for the statistics of batch normalisations, if they are synchronised: they
   * must not wait for gradients that are on their way. The caller closes it.
   */
  Optional<Communicator> statistics() {
    int[] everyone = IntStream.range(0, communicator.size()).toArray();
    return config.determinism().synchronisedBatchNorm()
        ? Optional.of(communicator.group(everyone))
        : Optional.empty();
  }
}
