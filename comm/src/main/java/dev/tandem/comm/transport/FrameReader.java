package dev.tandem.comm.transport;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Reads frames from a connection as far as they have arrived, and goes on later where it stopped:
 * headers and small payloads through a buffer, large payloads straight into their place. For one
 * thread at a time, not always the same.
 */
final class FrameReader {

  /** Kind, number, length. */
  static final int HEADER_BYTES = 2 * Integer.BYTES + Long.BYTES;

  private static final int BUFFER_BYTES = 64 << 10;

  /** One call reads about this much, then its caller looks after its other connections. */
  private static final long BUDGET_BYTES = 512 << 10;

  /** Knows what to do with frames. */
  interface Handler {

    /** A frame begins; returns where its payload goes, which may be empty. */
    Delivery begin(FrameKind kind, int number, long length) throws IOException;

    /** The payload of the frame has arrived. */
    void end(FrameKind kind, Delivery delivery);
  }

  private final Wire wire;
  private final Handler handler;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).flip();
  private boolean large;
  private FrameKind kind;
  private Delivery delivery;

  FrameReader(Wire wire, Handler handler) {
    this.wire = wire;
    this.handler = handler;
  }

  /** Reads what has arrived, within reason; says whether anything had. */
  boolean advance() throws IOException {
    long budget = BUDGET_BYTES;
    long taken = 1;
    // What a selector cannot see must not be left: no thread would come back for it.
    while (taken > 0 && (budget > 0 || holds())) {
      taken = delivery == null ? readHeader() : readPayload();
      budget -= taken;
    }
    return budget < BUDGET_BYTES;
  }

  /** Whether something can be taken in that the channel does not know of any more. */
  private boolean holds() throws IOException {
    return buffer.remaining() >= (delivery == null ? HEADER_BYTES : 1) || wire.holds();
  }

  /**
   * The receive that alone may go on here, if what it waits for is held already; it must be woken,
   * for a selector would not.
   */
  Optional<Receipt> awaited() throws IOException {
    return delivery != null && !delivery.reachable() && holds()
        ? delivery.receipt()
        : Optional.empty();
  }

  private long readHeader() throws IOException {
    long read = 0;
    if (buffer.remaining() < HEADER_BYTES) {
      read = refill();
    }
    if (buffer.remaining() < HEADER_BYTES) {
      return read;
    }
    try {
      kind = FrameKind.of(buffer.getInt());
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
    delivery = handler.begin(kind, buffer.getInt(), buffer.getLong());
    large = delivery.missing() >= BUFFER_BYTES;
    endIfComplete();
    return HEADER_BYTES;
  }

  private long readPayload() throws IOException {
    if (!delivery.reachable()) {
      // Its owner waits for it, and alone may touch its memory.
      return 0;
    }
    if (!buffer.hasRemaining()) {
      if (large && delivery.direct()) {
        long read = check(wire.read(delivery.space()));
        delivery.arrived(read);
        endIfComplete();
        return read;
      }
      if (refill() == 0) {
        return 0;
      }
    }
    int count = (int) Math.min(buffer.remaining(), delivery.missing());
    delivery.take(MemorySegment.ofBuffer(buffer).asSlice(0, count));
    buffer.position(buffer.position() + count);
    endIfComplete();
    return count;
  }

  private void endIfComplete() {
    if (delivery.missing() == 0) {
      Delivery complete = delivery;
      delivery = null;
      handler.end(kind, complete);
    }
  }

  private int refill() throws IOException {
    buffer.compact();
    try {
      if (large && delivery == null) {
        // After one large payload another is likely, and it need not pass through the buffer.
        buffer.limit(Math.max(buffer.position(), HEADER_BYTES));
      }
      return check(wire.read(buffer));
    } finally {
      buffer.flip();
    }
  }

  private static int check(int read) throws EOFException {
    if (read < 0) {
      throw new EOFException("the connection was closed");
    }
    return read;
  }
}
