package dev.tandem.train;

import dev.tandem.train.Phases.Phase;

/**
 * Where the time of one or more steps went, in nanoseconds; immutable.
 *
 * @param training all of the steps, without saves
 */
record StepTimes(
    long training, long read, long forward, long backward, long sync, long update, long save) {

  static final StepTimes NONE = new StepTimes(0, 0, 0, 0, 0, 0, 0);

  /** All steps so far. */
  static StepTimes of(Phases phases) {
    return new StepTimes(
        phases.trainingNanos(),
        phases.nanos(Phase.READ),
        phases.nanos(Phase.FORWARD),
        phases.nanos(Phase.BACKWARD),
        phases.nanos(Phase.SYNC),
        phases.nanos(Phase.UPDATE),
        phases.nanos(Phase.SAVE));
  }

  /** Those since then. */
  StepTimes minus(StepTimes before) {
    return new StepTimes(
        training - before.training,
        read - before.read,
        forward - before.forward,
        backward - before.backward,
        sync - before.sync,
        update - before.update,
        save - before.save);
  }

  /** A time as an event has it: in milliseconds, to the microsecond. */
  static float millis(long nanos) {
    return Math.round(nanos / 1e3) / 1e3f;
  }
}
