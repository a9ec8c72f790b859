package dev.tandem.comm.transport;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Writes whole frames to a connection, from any thread. */
final class FrameWriter {

  private static final int BUFFER_BYTES = 256 << 10;
  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  private final SocketChannel channel;
  private final ReentrantLock lock = new ReentrantLock();
  private final ByteBuffer header = ByteBuffer.allocateDirect(FrameReader.HEADER_BYTES);
  // Heap memory cannot be written by the kernel: it passes through here.
  private final ByteBuffer bounce = ByteBuffer.allocateDirect(BUFFER_BYTES);

  FrameWriter(SocketChannel channel) {
    this.channel = channel;
  }

  void write(FrameKind kind, int number, MemorySegment payload) throws IOException {
    lock.lock();
    try {
      writeLocked(kind, number, payload.byteSize(), payload);
    } finally {
      lock.unlock();
    }
  }

  /** Writes a frame without payload, whose length means something else. */
  void writeBare(FrameKind kind, int number, long length) throws IOException {
    lock.lock();
    try {
      writeLocked(kind, number, length, NOTHING);
    } finally {
      lock.unlock();
    }
  }

  /** Writes a frame if no other thread is writing for so long; says whether it did. */
  boolean tryWrite(FrameKind kind, int number, MemorySegment payload, Duration patience)
      throws IOException, InterruptedException {
    if (!lock.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
      return false;
    }
    try {
      writeLocked(kind, number, payload.byteSize(), payload);
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void writeLocked(FrameKind kind, int number, long length, MemorySegment payload)
      throws IOException {
    header.clear();
    header.putInt(kind.code()).putInt(number).putLong(length).flip();
    if (payload.isNative()) {
      writeFully(new ByteBuffer[] {header, payload.asByteBuffer()});
    } else {
      writeCopied(payload);
    }
  }

  private void writeCopied(MemorySegment payload) throws IOException {
    long written = 0;
    do {
      int count = (int) Math.min(BUFFER_BYTES, payload.byteSize() - written);
      bounce.clear().limit(count);
      MemorySegment.ofBuffer(bounce).copyFrom(payload.asSlice(written, count));
      writeFully(new ByteBuffer[] {header, bounce});
      written += count;
    } while (written < payload.byteSize());
  }

  private void writeFully(ByteBuffer[] buffers) throws IOException {
    ByteBuffer last = buffers[buffers.length - 1];
    while (buffers[0].hasRemaining() || last.hasRemaining()) {
      channel.write(buffers);
    }
  }
}
