package dev.tandem.sync.policy;

import dev.tandem.comm.transport.WaitPolicy;
import java.util.Optional;

/** How the background thread waits for other ranks while it negotiates. */
public enum Waiting {
  /** Keeps its core busy until the answer is there, as MPI libraries do. */
  SPIN,
  /** The same, but offers the core at every look. */
  SPIN_YIELD,
  /** Sleeps until it is woken. */
  PARKED,
  /**
   * Looks for the other ranks' consent between short sleeps, as a loop around MPI_Test does, which
   * also goes on with the collective (NBCS); waits in transfers as the baseline does.
   */
  POLLED;

  /** How a rank waits inside a collective. */
  public WaitPolicy policy() {
    return switch (this) {
      case SPIN -> WaitPolicy.SPINNING;
      case SPIN_YIELD, POLLED -> WaitPolicy.YIELDING;
      case PARKED -> WaitPolicy.PARKED;
    };
  }

  /** How a rank waits for the others' consent, if otherwise than for their data. */
  public Optional<WaitPolicy> forConsent() {
    return this == POLLED ? Optional.of(WaitPolicy.NAPPING) : Optional.empty();
  }
}
