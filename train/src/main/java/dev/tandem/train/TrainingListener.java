package dev.tandem.train;

/**
 * Hears of a run's events as they happen. It is called on rank 0 only, by the thread that trains:
 * training waits for it. What it throws ends the run. Never two calls at a time.
 */
public interface TrainingListener {

  /** A step has ended on all ranks. */
  default void onStep(TrainingEvent.Step step, RunControl control) {}

  /** The test set was evaluated. */
  default void onValidation(TrainingEvent.Epoch validation, RunControl control) {}

  /** A checkpoint was saved; unlike the others, this may be said by the thread that wrote it. */
  default void onCheckpoint(TrainingEvent.Checkpoint checkpoint, RunControl control) {}

  /** The run has ended, and everything about it is in its folder. */
  default void onEnd(TrainingResult result) {}
}
