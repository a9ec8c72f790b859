package dev.tandem.oracle.published;

/** Projects the time of an iteration. Implementations are immutable. */
interface IterationModel {

  /** Seconds of an iteration. */
  double seconds(Configuration configuration);
}
