package dev.tandem.train;

import dev.tandem.sync.GradientSynchronizer;
import dev.tandem.sync.trace.Timeline;
import java.util.Optional;

/** Sums the gradients of a rank over those that add to them; closed by the step that uses it. */
interface GradientSums extends GradientSynchronizer, AutoCloseable {

  /** Sums of synchronised batch normalisations. */
  BatchStatistics statistics();

  /** The trace, if there is one. */
  default Optional<Timeline> timeline() {
    return Optional.empty();
  }

  @Override
  void close();
}
