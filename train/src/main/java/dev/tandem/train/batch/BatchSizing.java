package dev.tandem.train.batch;

/**
 * Decides how many samples the next step has, over all ranks. Asked after every step by every rank;
 * the observation is the same in all of them, so a policy that depends on observations alone keeps
 * the ranks together.
 */
@FunctionalInterface
public interface BatchSizing {

  /** The batch stays as it was configured. */
  BatchSizing FIXED = BatchObservation::batch;

  /** The samples of the next step, at least 1. */
  int next(BatchObservation observation);

  /**
   * What a checkpoint keeps of the policy, as text; {@link #restore} gets it back. Policies without
   * memory have nothing to keep.
   */
  default String save() {
    return "";
  }

  /** Goes on from what {@link #save} gave. */
  default void restore(String saved) {
    // Nothing was kept.
  }
}
