package dev.tandem.comm.transport;

/** What a frame on a connection between two ranks carries. */
enum FrameKind {
  /**
   * A message of the program begins; the number is its channel, the length that of all its pieces,
   * the payload the first piece.
   */
  DATA(0),
  /** A sign of life. */
  HEARTBEAT(1),
  /** The receiver has taken this many bytes (the length) from a channel (the number). */
  CREDIT(2),
  /** A rank (the number) was lost; the payload is the reason as text. */
  LOST(3),
  /** The sender leaves in order: nothing follows. */
  GOODBYE(4),
  /** The next piece of the message that began on the channel (the number). */
  MORE(5);

  private static final FrameKind[] KINDS = values();

  private final int code;

  FrameKind(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  static FrameKind of(int code) {
    for (FrameKind kind : KINDS) {
      if (kind.code == code) {
        return kind;
      }
    }
    throw new IllegalArgumentException("no frame has kind " + code);
  }
}
