package dev.tandem.tune.trial;

/** How a trial stands. */
public enum TrialState {
  /** Its parameters are known; it has not begun, or begins again. */
  WAITING,
  /** An attempt runs. */
  RUNNING,
  /** It waits at a checkpoint, and goes on if it turns out to be among the best. */
  PAUSED,
  /** It gave a value. */
  COMPLETE,
  /** It was stopped because others are better. */
  PRUNED,
  /** It ended without a value, or with one that is no number. */
  FAILED,
  /** It took longer than its limit. */
  TIMED_OUT,
  /** Its node or process was lost more often than it may be tried again. */
  LOST,
  /** The study ended before it. */
  CANCELLED;

  /** Whether nothing more comes of it. */
  public boolean ended() {
    return this != WAITING && this != RUNNING && this != PAUSED;
  }
}
