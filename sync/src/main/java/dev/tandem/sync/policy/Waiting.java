package dev.tandem.sync.policy;

import dev.tandem.comm.transport.WaitPolicy;

/** How the background thread waits for other ranks while it negotiates. */
public enum Waiting {
  /** Keeps its core busy until the answer is there, as MPI libraries do. */
  SPIN(WaitPolicy.Manner.SPINNING),
  /** The same, but offers the core at every look. */
  SPIN_YIELD(WaitPolicy.Manner.YIELDING),
  /** Sleeps until it is woken. */
  PARKED(WaitPolicy.Manner.PARKED),
  /** Starts the collective, and looks for its end between short sleeps (NBCS). */
  POLLED(WaitPolicy.Manner.PARKED);

  private final WaitPolicy.Manner manner;

  Waiting(WaitPolicy.Manner manner) {
    this.manner = manner;
  }

  /** How a rank waits inside a collective. */
  public WaitPolicy policy(int rank) {
    return WaitPolicy.of(manner, rank);
  }
}
