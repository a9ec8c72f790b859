package dev.tandem.comm.transport;

import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** The pieces in which a message travels; an empty message is one empty piece. */
record Frames(MemorySegment message, long start) implements Iterable<MemorySegment> {

  static Frames of(MemorySegment message) {
    return new Frames(message, 0);
  }

  MemorySegment first() {
    return piece(start);
  }

  /** All pieces but the first. */
  Frames rest() {
    return new Frames(message, start + Math.max(1, first().byteSize()));
  }

  private MemorySegment piece(long offset) {
    return message.asSlice(offset, Math.min(TcpPeer.MAXIMUM_FRAME, message.byteSize() - offset));
  }

  @Override
  public Iterator<MemorySegment> iterator() {
    return new Iterator<>() {
      private long next = start;

      @Override
      public boolean hasNext() {
        return next < message.byteSize() || next == 0;
      }

      @Override
      public MemorySegment next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        MemorySegment piece = piece(next);
        next += Math.max(1, piece.byteSize());
        return piece;
      }
    };
  }
}
