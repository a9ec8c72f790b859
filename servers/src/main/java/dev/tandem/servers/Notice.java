package dev.tandem.servers;

/**
 * What a worker may tell all others along with a gradient. Either makes all stop after the same
 * step.
 *
 * <p>{@code Note [stopping together]}: workers are at different clocks, and none may be waited for
 * in vain. When a notice reaches the first shard, where the slowest client is at {@code m}, the
 * shard sets the stop to {@code m + s + 1}. Nobody can get past it unknowing: to go on from clock
 * {@code m + s + 1} a worker needs parameters that have {@code m + 1} gradients of everybody in
 * them, and the first shard had those only after it had set the stop, which travels with every
 * answer. And everybody gets there, because nobody stops earlier.
 */
public enum Notice {
  /** Somebody asked for an end. */
  STOP(1),
  /** The worker's gradient was not fit to be used; it pushed zeros instead. */
  TROUBLE(2);

  private final long bit;

  Notice(long bit) {
    this.bit = bit;
  }

  /** Several notices travel as the sum of these. */
  long bit() {
    return bit;
  }
}
