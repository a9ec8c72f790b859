package dev.tandem.sync.request;

/** What is done to a tensor that all ranks hold. */
public enum Operation {
  /** The weighted sum in rank order. */
  SUM,
  /** The weighted gradients combined so that what they have in common counts once; float32. */
  ADASUM,
  /** That of one rank. */
  BROADCAST;

  /** Whether several tensors can travel as one. */
  public boolean fusible() {
    return this != BROADCAST;
  }
}
