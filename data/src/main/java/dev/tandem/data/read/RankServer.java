package dev.tandem.data.read;

import dev.tandem.comm.Communicator;
import dev.tandem.core.TandemException;
import java.util.ArrayList;
import java.util.List;

/**
 * Serves other ranks from this one: each has a thread here and a link, a group of two in which the
 * server is rank 0, until it says that it will ask no more, or is lost.
 */
abstract class RankServer implements AutoCloseable {

  private final List<Thread> threads = new ArrayList<>();

  /** Answers one rank until it ends. */
  abstract void serve(Communicator link);

  /** Begins to serve; each of the clients calls {@link #link} meanwhile. */
  void start(Communicator communicator, int... clients) {
    for (int client : clients) {
      Communicator link = communicator.group(communicator.rank(), client);
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .name("tandem-read-serve-" + client)
              .start(
                  () -> {
                    try (link) {
                      serve(link);
                    } catch (TandemException e) {
                      // The rank was lost, which the ranks that train with it notice.
                    }
                  }));
    }
  }

  /** Connects a client with the rank that serves it. */
  static Communicator link(Communicator communicator, int server) {
    return communicator.group(server, communicator.rank());
  }

  /** Waits until all clients have ended. */
  @Override
  public void close() {
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
