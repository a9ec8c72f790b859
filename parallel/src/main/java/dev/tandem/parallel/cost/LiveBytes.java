package dev.tandem.parallel.cost;

/** Bytes that are there now, and were at most. */
final class LiveBytes {

  /** Memory that tensors share; it is there as long as one of them is. */
  static final class Piece {

    private final long bytes;
    private int uses = 1;

    Piece(long bytes) {
      this.bytes = bytes;
    }

    long bytes() {
      return bytes;
    }

    /** One more tensor has it. */
    void share() {
      uses++;
    }
  }

  private long present;
  private long peak;

  long peak() {
    return peak;
  }

  void make(long bytes) {
    present += bytes;
    peak = Math.max(peak, present);
  }

  void free(long bytes) {
    present -= bytes;
  }

  /** One tensor less has it; with the last it is freed. */
  void release(Piece piece) {
    piece.uses--;
    if (piece.uses == 0) {
      free(piece.bytes);
    }
  }
}
