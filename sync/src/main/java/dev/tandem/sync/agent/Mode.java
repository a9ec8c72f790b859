package dev.tandem.sync.agent;

import java.util.Optional;

/** One of the two ways in which ranks come to transfer the same. */
sealed interface Mode permits Negotiation, PlannedTransfers {

  /**
   * Waits until there is something to do; who has borrowed the helm does not wait.
   *
   * @return false if another thread had the helm meanwhile: then there may be nothing to do
   */
  boolean awaitWork();

  /**
   * Does one piece of work together with the other ranks.
   *
   * @return how to go on, or nothing if a rank has shut the synchroniser down
   */
  Optional<Mode> work();
}
