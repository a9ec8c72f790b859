package dev.tandem.comm.transport;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A message on its way in, piece by piece, into the memory of the receive that waits for it or into
 * a buffer of its own. Guarded by the right to read its connection.
 */
final class Delivery {

  private final int number;
  private final MemorySegment target;
  private Optional<Receipt> receipt;
  private boolean unwanted;
  private long filled;
  private long pieceEnd;

  /**
   * @param receipt the receive whose memory the target is, if there is one
   */
  Delivery(int number, MemorySegment target, Optional<Receipt> receipt) {
    this.number = number;
    this.target = target;
    this.receipt = receipt;
  }

  int number() {
    return number;
  }

  MemorySegment target() {
    return target;
  }

  Optional<Receipt> receipt() {
    return receipt;
  }

  /** A piece of this many bytes comes next. */
  Delivery expect(long bytes) {
    pieceEnd = filled + bytes;
    return this;
  }

  /** How much of the whole message has not been announced yet. */
  long rest() {
    return target.byteSize() - pieceEnd;
  }

  /** How much of the piece is missing. */
  long missing() {
    return pieceEnd - filled;
  }

  /** Whether the whole message is here. */
  boolean complete() {
    return filled == target.byteSize();
  }

  /** Nobody wants it any more, and its memory must not be touched. */
  void forget() {
    receipt = Optional.empty();
    unwanted = true;
  }

  boolean unwanted() {
    return unwanted;
  }

  /** Whether this thread may go on with it. */
  boolean reachable() {
    return unwanted || target.isAccessibleBy(Thread.currentThread());
  }

  /** Whether the kernel can write straight into its memory. */
  boolean direct() {
    return !unwanted && target.isNative();
  }

  /** The memory that is missing, for the kernel to fill. */
  ByteBuffer space() {
    return target.asSlice(filled, missing()).asByteBuffer();
  }

  void arrived(long bytes) {
    filled += bytes;
  }

  /** Takes bytes that have passed through a buffer. */
  void take(MemorySegment bytes) {
    if (!unwanted) {
      MemorySegment.copy(bytes, 0, target, filled, bytes.byteSize());
    }
    filled += bytes.byteSize();
  }
}
