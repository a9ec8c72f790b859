package dev.tandem.bench.sync;

/** What is measured in a turn; each figure is that of a rank, and the mean of both is reported. */
enum SyncFigure {
  /** That half of the steps did not exceed. */
  ITERATION_MILLIS,
  /** Mean per step. */
  MEAN_MILLIS,
  /** That 95% of the steps did not exceed. */
  P95_MILLIS,
  /** Of a core that the background threads used. */
  BACKGROUND_SHARE,
  /** Of the time that the background thread spent waiting for other ranks' consent. */
  CONTROL_WAIT_SHARE,
  /** A step that took the processor from a background thread; yields count, too. */
  INVOLUNTARY_SWITCHES,
  /** That 95% of the background thread's sleeps did not exceed. */
  OVERSLEEP_MICROS,
  /** Per step, in which the training thread waited for the sums. */
  AWAIT_MILLIS,
  /** Per step, in which the training thread waited for its batch. */
  INPUT_WAIT_MILLIS,
  /** Per step, in which gradients were under way. */
  TRANSFER_MILLIS,
  /** How often per step ranks agreed on what comes next. */
  AGREEMENTS,
  /** Per step, in which the training thread ran. */
  ENGINE_CPU_MILLIS,
  /** Per step, in which the training thread could have run and had no core. */
  ENGINE_QUEUED_MILLIS,
  /** Per step, in which input threads ran, all together. */
  INPUT_CPU_MILLIS,
  /** Per step, in which others ran: the JVM's collector and compilers. */
  OTHER_CPU_MILLIS
}
