package dev.tandem.sync.trace;

/**
 * Where the time of a rank's step goes, on average.
 *
 * @param inputMillis that the training thread waited for samples
 * @param computeMillis that it computed, with a core or waiting for one
 * @param coreWaitMillis that threads of this rank could have run and had no core
 * @param agreementMillis that the background thread waited for other ranks
 * @param transferMillis that transfers took
 * @param oversleepMillis that the background thread slept longer than it meant to
 * @param cisShare of the step that is susceptible to computational imbalance, 0 to 1: see {@link
 *     CisWindow}
 */
record StepTimes(
    double inputMillis,
    double computeMillis,
    double coreWaitMillis,
    double agreementMillis,
    double transferMillis,
    double oversleepMillis,
    double cisShare) {

  static final int FIGURES = 7;

  double[] toArray() {
    return new double[] {
      inputMillis,
      computeMillis,
      coreWaitMillis,
      agreementMillis,
      transferMillis,
      oversleepMillis,
      cisShare
    };
  }

  static StepTimes of(double[] figures, int at) {
    return new StepTimes(
        figures[at],
        figures[at + 1],
        figures[at + 2],
        figures[at + 3],
        figures[at + 4],
        figures[at + 5],
        figures[at + 6]);
  }

  /** What this rank spends before it can agree to a transfer. */
  double ownMillis() {
    return inputMillis + computeMillis;
  }
}
