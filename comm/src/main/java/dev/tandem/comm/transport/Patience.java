package dev.tandem.comm.transport;

/**
 * Learns whether spinning pays. Where other programs keep the processors busy, or a rank is late
 * time and again, spinning only delays the one that is waited for: then it is cut short, and tried
 * in full now and then to see whether times have changed. For one thread.
 */
final class Patience {

  private static final long SHORT_NANOS = 1_000;
  private static final int BUSY_YIELDS = 10;
  private static final int WAITS_BETWEEN_TRIALS = 16;

  private final WaitPolicy policy;
  private boolean pays = true;
  private int waits;

  Patience(WaitPolicy policy) {
    this.policy = policy;
  }

  /** How long to spin this time. */
  long spinNanos() {
    long full = policy.spin().toNanos();
    boolean trial = ++waits % WAITS_BETWEEN_TRIALS == 0;
    return pays || trial ? full : Math.min(full, SHORT_NANOS);
  }

  /** How often to yield then. */
  int yields() {
    return pays ? policy.yields() : Math.max(policy.yields(), BUSY_YIELDS);
  }

  /** The awaited rank came while spinning. */
  void paid() {
    pays = true;
  }

  /** The awaited rank did not come while spinning. */
  void inVain() {
    pays = false;
  }
}
