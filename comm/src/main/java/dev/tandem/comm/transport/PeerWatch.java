package dev.tandem.comm.transport;

import dev.tandem.core.PeerLostException;

/** What somebody who waits for a rank asks from time to time. */
interface PeerWatch {

  /** Throws if any rank of the job was lost. */
  void check();

  /**
   * Whether the rank has left in order. Everything it sent before is delivered by then: who still
   * waits after seeing this waits in vain.
   */
  boolean gone();

  /** Declares the rank lost, because somebody needs it although it has left; always throws. */
  PeerLostException lost();
}
