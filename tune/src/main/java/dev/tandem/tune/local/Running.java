package dev.tandem.tune.local;

/** An attempt that runs and can be ended. */
interface Running {

  /** Ends it; returns at once. */
  void cancel();
}
