package dev.tandem.data.order;

/** What happens to the batch in which an epoch ends. */
public enum EpochEnd {
  /**
   * It is filled from the next epoch, as Caffe does it: every batch is full, and the order goes on
   * over the boundary.
   */
  CIRCULAR,
  /**
   * It ends with the epoch and may be smaller: every sample comes exactly once between two epochs'
   * first steps.
   */
  EXACT
}
