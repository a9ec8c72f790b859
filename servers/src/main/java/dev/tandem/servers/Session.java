package dev.tandem.servers;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Serves a store to one client of another rank, in a thread of its own, until it leaves. */
final class Session {

  private final Wire wire;
  private final int rank;
  private final Store store;
  private final int client;
  private final FailureLatch failures;
  private final MemorySegment buffer;

  /**
   * A session.
   *
   * @param rank of the client
   * @param client its number at the store
   */
  Session(Wire wire, int rank, Store store, int client, FailureLatch failures) {
    this.wire = wire;
    this.rank = rank;
    this.store = store;
    this.client = client;
    this.failures = failures;
    this.buffer = Arena.ofAuto().allocate(store.bytes(), 64);
  }

  void run() {
    try {
      while (serve()) {
        // On and on.
      }
    } catch (RuntimeException e) {
      failures.fail(e);
    }
  }

  /** Serves one request; says whether there may be another. */
  private boolean serve() {
    Request request = wire.receiveRequest(rank);
    switch (request) {
      case Request.Push push -> {
        wire.receiveRequestBody(rank, buffer);
        store.push(client, push, buffer);
      }
      case Request.Ask ask -> {
        Request.Answer answer = store.pull(client, ask, buffer);
        wire.answer(rank, answer, buffer);
      }
      case Request.Leave _ -> store.leave(client);
    }
    return !(request instanceof Request.Leave);
  }
}
