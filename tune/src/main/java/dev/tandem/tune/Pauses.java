package dev.tandem.tune;

import dev.tandem.tune.prune.Decision;
import dev.tandem.tune.prune.Schedule;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** When one trial is paused. One thread at a time. */
final class Pauses {

  private final Optional<Schedule> schedule;
  private final AtomicBoolean saves;
  private long until;

  /**
   * The pauses of a trial.
   *
   * @param saves whether trials of the study are known to save checkpoints
   * @param until the step of the next pause
   */
  Pauses(Optional<Schedule> schedule, AtomicBoolean saves, long until) {
    this.schedule = schedule;
    this.saves = saves;
    this.until = until;
  }

  /** A checkpoint was saved. */
  void saved() {
    saves.set(true);
  }

  /** The step after which an attempt need not go, as it will be paused there; 0 for any. */
  long budget() {
    return schedule.isPresent() && pauses() && until != Schedule.NEVER ? until : 0;
  }

  private boolean pauses() {
    return schedule.orElseThrow().always() || saves.get();
  }

  /** What becomes of a trial that is due to be paused. */
  Optional<Decision> at(long step, double value) {
    if (schedule.isEmpty() || step < until) {
      return Optional.empty();
    }
    if (Double.isNaN(value) && schedule.get().stopsWithoutNumber()) {
      return Optional.of(new Decision.Stop("the value at step %d is no number".formatted(step)));
    }
    if (pauses()) {
      return Optional.of(new Decision.Pause(step));
    }
    until = schedule.get().after(step);
    return Optional.empty();
  }
}
