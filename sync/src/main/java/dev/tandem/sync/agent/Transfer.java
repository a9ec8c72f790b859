package dev.tandem.sync.agent;

import java.util.List;

/**
 * A transfer that is over, as one rank saw it; times by {@link System#nanoTime}.
 *
 * @param number of this transfer since the synchroniser began, from 0; the same on all ranks
 * @param names of the tensors that travelled as one
 * @param bytes that this rank has written of them
 * @param readyNanos when this rank had asked for all of them; when it was taken up if it had joined
 * @param beginNanos when the background thread took it up
 * @param sendNanos when weights were applied and its collective began
 * @param arrivedNanos when its collective was over
 * @param endNanos when results were in place
 */
public record Transfer(
    long number,
    List<String> names,
    long bytes,
    long readyNanos,
    long beginNanos,
    long sendNanos,
    long arrivedNanos,
    long endNanos) {

  /** In a few words what travelled. */
  public String label() {
    return names.size() == 1
        ? names.getFirst()
        : "%s and %d more".formatted(names.getFirst(), names.size() - 1);
  }
}
