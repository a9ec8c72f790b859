package dev.tandem.comm.transport;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * A message on its way out over one lane, in pieces between which others may write. For one thread.
 */
final class Outgoing {

  /** Long enough that headers cost nothing, short enough that nobody waits long for its turn. */
  static final long PIECE_BYTES = 1 << 20;

  private final TcpLane lane;
  private final int channel;
  private final MemorySegment message;
  private final Wakeable waiter;
  private long begun;
  private boolean started;
  private boolean writing;
  private boolean done;

  Outgoing(TcpLane lane, int channel, MemorySegment message, Wakeable waiter) {
    this.lane = lane;
    this.channel = channel;
    this.message = message;
    this.waiter = waiter;
  }

  TcpLane lane() {
    return lane;
  }

  boolean done() {
    return done;
  }

  /** Whether it waits for the connection, not for a turn. */
  boolean writing() {
    return writing;
  }

  /** Writes on; says whether anything moved. */
  boolean advance() throws IOException {
    FrameWriter writer = lane.writer();
    if (!writing) {
      if (!writer.take(waiter)) {
        return false;
      }
      long bytes = Math.min(PIECE_BYTES, message.byteSize() - begun);
      MemorySegment piece = message.asSlice(begun, bytes);
      // The first header says how long the whole message is, so that its place can be found.
      writer.begin(
          started ? FrameKind.MORE : FrameKind.DATA,
          channel,
          started ? bytes : message.byteSize(),
          piece);
      begun += bytes;
      started = true;
      writing = true;
    }
    boolean moved = writer.push();
    if (writer.finished()) {
      writing = false;
      done = begun == message.byteSize();
      writer.release();
      return true;
    }
    return moved;
  }

  /** Stops; if that is in the middle of a piece, the lane can carry nothing any more. */
  void giveUp() {
    if (writing) {
      writing = false;
      lane.writer().giveUp();
    }
  }
}
