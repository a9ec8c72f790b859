package dev.tandem.comm.rendezvous;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;

/**
 * Turns bytes of the program into records of TLS on a connection and back. Waits exactly where the
 * connection below does. One thread at a time may read; writing and ending are thread-safe.
 *
 * <p>{@code Note [what a selector cannot see]}: records are read from the connection ahead of what
 * is asked for, so bytes may lie here of which a selector knows nothing. As long as {@link #holds}
 * says so, nobody may sleep waiting for the connection, and reading does not touch it.
 */
public final class TlsSession {

  private static final int HEADER_BYTES = 5;
  private static final int FIRST_TYPE = 20;
  private static final int LAST_TYPE = 23;
  private static final int MAJOR_VERSION = 3;

  /** More than any record has, sealed or open. */
  private static final int RECORD_BYTES = 17 << 10;

  /** How many records pass between the session and the connection at a time. */
  private static final int RECORDS_AT_A_TIME = 8;

  private static final String CLOSED = "the other side closed the connection";
  private static final ByteBuffer[] NOTHING = {ByteBuffer.allocate(0)};

  private final SSLEngine engine;
  private ByteChannel network;
  // Heap memory: ciphers work on arrays.
  private ByteBuffer received = ByteBuffer.allocate(RECORD_BYTES).flip();
  private final ByteBuffer opened = ByteBuffer.allocate(RECORD_BYTES).flip();
  private boolean ended;
  private final ReentrantLock writing = new ReentrantLock();
  // Guarded by the lock; filled up to its position.
  private ByteBuffer sealed = ByteBuffer.allocate(RECORD_BYTES);

  /**
   * @param network to be read and written by this session alone
   */
  TlsSession(SSLEngine engine, ByteChannel network) {
    this.engine = engine;
    this.network = network;
  }

  /** Agrees with the other side on keys; only over a connection that waits. */
  void handshake() throws IOException {
    engine.beginHandshake();
    try {
      while (handshakeStep()) {
        // On and on.
      }
    } catch (SSLException e) {
      sayWhy();
      throw e;
    }
  }

  private boolean handshakeStep() throws IOException {
    HandshakeStatus status = engine.getHandshakeStatus();
    switch (status) {
      case NEED_TASK -> runTasks();
      case NEED_WRAP -> {
        seal(NOTHING);
        flush();
      }
      case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
        while (!recordReceived()) {
          if (fill() < 0) {
            throw new EOFException(CLOSED);
          }
        }
        open(opened.clear());
        opened.flip();
        if (ended) {
          throw new EOFException(CLOSED);
        }
      }
      case FINISHED, NOT_HANDSHAKING -> {
        return false;
      }
    }
    return true;
  }

  /** After a failure: lets the other side know, if it can be reached. */
  private void sayWhy() {
    try {
      while (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP
          && seal(NOTHING).bytesProduced() > 0) {
        flush();
      }
    } catch (IOException e) {
      // The first failure is the one to report.
    }
  }

  /** Goes on over another view of the same connection, with room for many records at a time. */
  void goOn(ByteChannel channel) {
    network = channel;
    received = ByteBuffer.allocate(RECORDS_AT_A_TIME * RECORD_BYTES).put(received).flip();
    sealed = ByteBuffer.allocate(RECORDS_AT_A_TIME * RECORD_BYTES).put(sealed.flip());
  }

  /** Whether {@link #read} has something to give without reading the connection. */
  public boolean holds() throws IOException {
    return opened.hasRemaining() || (!ended && recordReceived());
  }

  /** Reads what has arrived; 0 if nothing has, -1 if the other side has ended its output. */
  public int read(ByteBuffer target) throws IOException {
    int start = target.position();
    while (target.hasRemaining()) {
      if (opened.hasRemaining()) {
        int count = Math.min(opened.remaining(), target.remaining());
        target.put(target.position(), opened, opened.position(), count);
        target.position(target.position() + count);
        opened.position(opened.position() + count);
      } else if (ended) {
        break;
      } else if (recordReceived()) {
        openTowards(target);
      } else if (target.position() > start) {
        // The caller may have other things to do before the next look at the connection.
        break;
      } else {
        int read = fill();
        ended = read < 0;
        if (read == 0) {
          break;
        }
      }
    }
    int count = target.position() - start;
    return count == 0 && ended ? -1 : count;
  }

  /** Opens a record straight into the target if it has room for any, else into the buffer. */
  private void openTowards(ByteBuffer target) throws IOException {
    if (target.remaining() >= RECORD_BYTES) {
      open(target);
    } else {
      open(opened.clear());
      opened.flip();
    }
  }

  private void open(ByteBuffer target) throws IOException {
    SSLEngineResult result = engine.unwrap(received, target);
    if (result.getStatus() == Status.CLOSED) {
      ended = true;
    } else if (result.getStatus() != Status.OK) {
      throw new SSLException("a record cannot be opened: " + result.getStatus());
    }
    if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
      runTasks();
    }
  }

  private void runTasks() {
    for (Runnable task = engine.getDelegatedTask();
        task != null;
        task = engine.getDelegatedTask()) {
      task.run();
    }
  }

  /** Whether a whole record has been received and not opened. */
  private boolean recordReceived() throws SSLException {
    if (received.remaining() < HEADER_BYTES) {
      return false;
    }
    int at = received.position();
    int type = received.get(at);
    if (type < FIRST_TYPE || type > LAST_TYPE || received.get(at + 1) != MAJOR_VERSION) {
      throw new SSLException("the other side does not speak TLS: " + TlsLink.ALL_OR_NONE);
    }
    int bytes = HEADER_BYTES + Short.toUnsignedInt(received.getShort(at + HEADER_BYTES - 2));
    if (bytes > RECORD_BYTES) {
      throw new SSLException("a record cannot have " + bytes + " bytes");
    }
    return received.remaining() >= bytes;
  }

  private int fill() throws IOException {
    received.compact();
    try {
      return network.read(received);
    } finally {
      received.flip();
    }
  }

  /** Takes as much as fits, first things first. */
  public long write(ByteBuffer[] sources) throws IOException {
    writing.lock();
    try {
      long taken = 0;
      boolean room = true;
      while (room && left(sources)) {
        while (left(sources) && sealed.remaining() >= RECORD_BYTES) {
          SSLEngineResult result = seal(sources);
          if (result.bytesProduced() == 0) {
            throw new SSLException("a record cannot be sealed: " + result.getHandshakeStatus());
          }
          taken += result.bytesConsumed();
        }
        room = flush();
      }
      return taken;
    } finally {
      writing.unlock();
    }
  }

  private static boolean left(ByteBuffer[] sources) {
    for (ByteBuffer source : sources) {
      if (source.hasRemaining()) {
        return true;
      }
    }
    return false;
  }

  private SSLEngineResult seal(ByteBuffer[] sources) throws IOException {
    SSLEngineResult result = engine.wrap(sources, sealed);
    switch (result.getStatus()) {
      case OK -> {}
      case CLOSED -> {
        if (result.bytesProduced() == 0) {
          throw new ClosedChannelException();
        }
      }
      case BUFFER_OVERFLOW, BUFFER_UNDERFLOW ->
          throw new SSLException("a record cannot be sealed: " + result.getStatus());
    }
    return result;
  }

  /** Passes on what was taken but not sent yet; says whether nothing is left. */
  public boolean flush() throws IOException {
    writing.lock();
    try {
      if (sealed.position() > 0) {
        sealed.flip();
        try {
          network.write(sealed);
        } finally {
          sealed.compact();
        }
      }
      return sealed.position() == 0;
    } finally {
      writing.unlock();
    }
  }

  /** Says that nothing follows, as far as the connection takes it; reading goes on. */
  public void endOutput() throws IOException {
    writing.lock();
    try {
      boolean room = flush();
      engine.closeOutbound();
      if (room && !engine.isOutboundDone()) {
        seal(NOTHING);
        flush();
      }
    } finally {
      writing.unlock();
    }
  }
}
