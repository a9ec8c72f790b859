package dev.tandem.sync.policy;

import dev.tandem.comm.transport.WaitPolicy;
import java.util.Optional;

/** How the background thread waits for other ranks while it negotiates. */
public enum Waiting {
  /** Keeps its core busy until the answer is there, as MPI libraries do. */
  SPIN(WaitPolicy.SPINNING),
  /** The same, but offers the core at every look. */
  SPIN_YIELD(WaitPolicy.YIELDING),
  /** Sleeps until it is woken. */
  PARKED(WaitPolicy.PARKED),
  /**
   * Looks for the other ranks' consent between short sleeps, as a loop around MPI_Test does, which
   * also goes on with the collective (NBCS); waits in transfers as the baseline does.
   */
  POLLED(WaitPolicy.YIELDING);

  private final WaitPolicy policy;

  Waiting(WaitPolicy policy) {
    this.policy = policy;
  }

  /** How a rank waits inside a collective. */
  public WaitPolicy policy() {
    return policy;
  }

  /** How a rank waits for the others' consent, if otherwise than for their data. */
  public Optional<WaitPolicy> forConsent() {
    return this == POLLED ? Optional.of(WaitPolicy.NAPPING) : Optional.empty();
  }
}
