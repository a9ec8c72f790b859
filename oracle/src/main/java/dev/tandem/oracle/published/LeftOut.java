package dev.tandem.oracle.published;

/**
 * A measurement and its projection by a calibration that has not seen it.
 *
 * @param fold what was left out with it
 */
record LeftOut(Observation observation, String fold, double projected) {

  /** Logarithm of how many times longer it took than projected. */
  double residual() {
    return Math.log(observation.seconds() / projected);
  }
}
