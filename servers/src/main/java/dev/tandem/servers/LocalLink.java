package dev.tandem.servers;

import java.lang.foreign.MemorySegment;

/** The way to a store of the same rank: no bytes are sent. */
final class LocalLink implements Upstream {

  private final Store store;
  private final int client;
  private Request.Ask asked;

  LocalLink(Store store, int client) {
    this.store = store;
    this.client = client;
  }

  @Override
  public void push(Request.Push push, MemorySegment gradient) {
    store.push(client, push, gradient);
  }

  @Override
  public void ask(Request.Ask ask) {
    asked = ask;
  }

  @Override
  public Request.Answer take(MemorySegment target) {
    return store.pull(client, asked, target);
  }

  @Override
  public void leave() {
    store.leave(client);
  }
}
