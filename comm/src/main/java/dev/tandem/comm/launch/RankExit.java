package dev.tandem.comm.launch;

/** The end of one rank's process; a code above 128 means a signal, 128 + its number. */
record RankExit(int rank, int code) {

  private static final int SIGNAL_BASE = 128;
  private static final int SIGINT = 2;

  boolean bySignal() {
    return code > SIGNAL_BASE;
  }

  /** Ctrl-C goes to all processes of a terminal: a rank may see it before the launcher does. */
  boolean byControlC() {
    return code == SIGNAL_BASE + SIGINT;
  }

  @Override
  public String toString() {
    return bySignal()
        ? "rank %d was ended by signal %d".formatted(rank, code - SIGNAL_BASE)
        : "rank %d ended with exit code %d".formatted(rank, code);
  }
}
