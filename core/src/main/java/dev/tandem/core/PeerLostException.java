package dev.tandem.core;

/**
 * Another rank died, hung or was cut off: nothing that needs all ranks can go on. Restart from the
 * last checkpoint, or form a group without the lost rank.
 */
public final class PeerLostException extends TandemException {

  private static final long serialVersionUID = 1L;

  private final int lostRank;

  public PeerLostException(int lostRank, String reason) {
    this(lostRank, reason, null);
  }

  public PeerLostException(int lostRank, String reason, Throwable cause) {
    super("lost rank " + lostRank + ": " + reason, cause);
    this.lostRank = lostRank;
  }

  /** The rank that was lost. */
  public int lostRank() {
    return lostRank;
  }

  @Override
  public ExitCode exitCode() {
    return ExitCode.PEER_LOST;
  }
}
