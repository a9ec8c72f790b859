package dev.tandem.sync.policy;

/**
 * Whether transfers of a plan run while the program still computes. The sums have the same bits
 * either way, and each rank may do it in its own.
 */
public enum Overlap {
  /**
   * Where they can be had for nothing: {@link #ALWAYS}, unless all ranks are on one host with less
   * than two processors for each.
   */
  WHERE_PROCESSORS_ARE_FREE,
  /** The background thread transfers what is complete, while the program goes on. */
  ALWAYS,
  /** The thread that waits for results transfers, when it waits. */
  NEVER;

  /**
   * Whether a rank leaves transfers to the thread that waits for them. On one host a transfer is
   * work of processors and nothing else; if the background thread has none of its own it takes that
   * of the program, in many small pieces, since ranks take turns in a transfer.
   *
   * @param ranks of the synchroniser
   * @param local those of them on this rank's host
   * @param processors of this rank's host
   */
  public boolean defers(int ranks, int local, int processors) {
    return switch (this) {
      case WHERE_PROCESSORS_ARE_FREE -> local == ranks && processors < 2 * ranks;
      case ALWAYS -> false;
      case NEVER -> true;
    };
  }
}
