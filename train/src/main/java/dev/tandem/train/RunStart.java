package dev.tandem.train;

/** What a run begins with. */
enum RunStart {
  BEGINNING,
  /** The newest checkpoint; without one the run fails. */
  CHECKPOINT,
  CHECKPOINT_OR_BEGINNING
}
