package dev.tandem.data.read;

import dev.tandem.comm.Communicator;
import dev.tandem.core.TandemException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

/**
 * Mode stag for a loader: the first rank gives permits to read to all ranks, a few at a time. All
 * ranks make theirs together.
 */
final class RankPermits implements IoPermits {

  private static final byte ASKS = 1;
  private static final byte RETURNS = 2;
  private static final byte ENDS = 3;

  private final Semaphore permits;
  private final RankServer server;
  private final Communicator link;

  /**
   * @param most ranks that may read at a time
   */
  RankPermits(Communicator communicator, int most) {
    if (communicator.rank() == 0) {
      this.permits = new Semaphore(most, true);
      this.link = null;
      this.server = new Server(permits);
      server.start(communicator, IntStream.range(1, communicator.size()).toArray());
    } else {
      // The threads of this rank take turns at its link.
      this.permits = new Semaphore(1, true);
      this.server = null;
      this.link = RankServer.link(communicator, 0);
    }
  }

  @Override
  public void acquire() {
    permits.acquireUninterruptibly();
    if (link != null) {
      say(ASKS);
      link.receive(MemorySegment.ofArray(new byte[1]), 0);
    }
  }

  @Override
  public void release() {
    if (link != null) {
      say(RETURNS);
    }
    permits.release();
  }

  private void say(byte what) {
    link.send(MemorySegment.ofArray(new byte[] {what}), 0);
  }

  @Override
  public void close() {
    if (link == null) {
      server.close();
      return;
    }
    try (link) {
      say(ENDS);
    } catch (TandemException e) {
      // The other rank was lost: it waits for nothing.
    }
  }

  /** The rank that gives permits. */
  private static final class Server extends RankServer {

    private final Semaphore permits;

    Server(Semaphore permits) {
      this.permits = permits;
    }

    @Override
    void serve(Communicator link) {
      int held = 0;
      byte[] said = new byte[1];
      try {
        link.receive(MemorySegment.ofArray(said), 1);
        while (said[0] != ENDS) {
          if (said[0] == ASKS) {
            permits.acquireUninterruptibly();
            held++;
            link.send(MemorySegment.ofArray(said), 1);
          } else {
            held--;
            permits.release();
          }
          link.receive(MemorySegment.ofArray(said), 1);
        }
      } finally {
        // Of a rank that was lost while it read.
        permits.release(held);
      }
    }
  }
}
