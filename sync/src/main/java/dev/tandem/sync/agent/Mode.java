package dev.tandem.sync.agent;

import java.util.Optional;

/** One of the two ways in which ranks come to transfer the same. */
sealed interface Mode permits Negotiation, PlannedTransfers {

  /**
   * Does one piece of work together with the other ranks.
   *
   * @return how to go on, or nothing if a rank has shut the synchroniser down
   */
  Optional<Mode> work();
}
