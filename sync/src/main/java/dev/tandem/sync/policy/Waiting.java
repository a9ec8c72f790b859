package dev.tandem.sync.policy;

import dev.tandem.comm.transport.WaitPolicy;
import java.util.Optional;

/** How the background thread waits for other ranks while it negotiates. */
public enum Waiting {
  /** Keeps its core busy until the answer is there, as MPI libraries do. */
  SPIN(WaitPolicy.Manner.SPINNING),
  /** The same, but offers the core at every look. */
  SPIN_YIELD(WaitPolicy.Manner.YIELDING),
  /** Sleeps until it is woken. */
  PARKED(WaitPolicy.Manner.PARKED),
  /**
   * Looks for the other ranks' consent between short sleeps, as a loop around MPI_Test does, which
   * also goes on with the collective (NBCS); waits in transfers as the baseline does.
   */
  POLLED(WaitPolicy.Manner.YIELDING);

  private final WaitPolicy.Manner manner;

  Waiting(WaitPolicy.Manner manner) {
    this.manner = manner;
  }

  /** How a rank waits inside a collective. */
  public WaitPolicy policy(int rank) {
    return WaitPolicy.of(manner, rank);
  }

  /** How a rank waits for the others' consent, if otherwise than for their data. */
  public Optional<WaitPolicy> forConsent(int rank) {
    return this == POLLED
        ? Optional.of(WaitPolicy.of(WaitPolicy.Manner.NAPPING, rank))
        : Optional.empty();
  }
}
