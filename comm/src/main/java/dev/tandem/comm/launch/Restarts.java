package dev.tandem.comm.launch;

/** How many processes may still be started in the place of lost ones. Thread-safe. */
public final class Restarts {

  private final int most;
  private int used;

  public Restarts(int most) {
    this.most = most;
  }

  /** Uses one up, if one is left. */
  public synchronized boolean take() {
    if (used == most) {
      return false;
    }
    used++;
    return true;
  }

  /** Whether there were any to begin with. */
  public boolean any() {
    return most > 0;
  }

  @Override
  public synchronized String toString() {
    return used + " of " + most;
  }
}
