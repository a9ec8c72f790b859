package dev.tandem.comm.transport;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Reads frames from a connection: header and small payloads with one system call, large payloads
 * straight into their place. For one thread.
 */
final class FrameReader {

  /** Kind, number, length. */
  static final int HEADER_BYTES = 2 * Integer.BYTES + Long.BYTES;

  private static final int BUFFER_BYTES = 64 << 10;

  record Header(FrameKind kind, int number, long length) {}

  private final SocketChannel channel;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).flip();

  FrameReader(SocketChannel channel) {
    this.channel = channel;
  }

  /** Waits for the next frame. */
  Header next() throws IOException {
    while (buffer.remaining() < HEADER_BYTES) {
      refill();
    }
    try {
      return new Header(FrameKind.of(buffer.getInt()), buffer.getInt(), buffer.getLong());
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Fills the target with the payload that follows. */
  void readInto(MemorySegment target) throws IOException {
    long filled = 0;
    long length = target.byteSize();
    while (filled < length) {
      if (!buffer.hasRemaining()) {
        if (target.isNative() && length - filled >= BUFFER_BYTES) {
          readDirectly(target.asSlice(filled));
          return;
        }
        refill();
      }
      int count = (int) Math.min(buffer.remaining(), length - filled);
      MemorySegment.copy(MemorySegment.ofBuffer(buffer), 0, target, filled, count);
      buffer.position(buffer.position() + count);
      filled += count;
    }
  }

  private void readDirectly(MemorySegment target) throws IOException {
    ByteBuffer bytes = target.asByteBuffer();
    while (bytes.hasRemaining()) {
      if (channel.read(bytes) < 0) {
        throw new EOFException("the connection was closed");
      }
    }
  }

  private void refill() throws IOException {
    buffer.compact();
    try {
      if (channel.read(buffer) < 0) {
        throw new EOFException("the connection was closed");
      }
    } finally {
      buffer.flip();
    }
  }
}
