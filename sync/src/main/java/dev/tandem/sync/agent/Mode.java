package dev.tandem.sync.agent;

import java.util.Optional;

/** One of the two ways in which ranks come to transfer the same. */
sealed interface Mode permits Negotiation, PlannedTransfers {

  /** Waits until there seems to be something to do; for the background thread. */
  void awaitWork();

  /**
   * Does one piece of work together with the other ranks, if there is something to do.
   *
   * @return how to go on, or nothing if a rank has shut the synchroniser down
   */
  Optional<Mode> work();
}
