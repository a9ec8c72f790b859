package dev.tandem.servers;

import java.lang.foreign.MemorySegment;

/** The way to a store of another rank, where a {@link Session} listens. */
final class RemoteLink implements Upstream {

  private final Wire wire;
  private final int rank;

  RemoteLink(Wire wire, int rank) {
    this.wire = wire;
    this.rank = rank;
  }

  @Override
  public void push(Request.Push push, MemorySegment gradient) {
    wire.request(rank, push);
    wire.requestBody(rank, gradient);
  }

  @Override
  public void ask(Request.Ask ask) {
    wire.request(rank, ask);
  }

  @Override
  public Request.Answer take(MemorySegment target) {
    return wire.receiveAnswer(rank, target);
  }

  @Override
  public void leave() {
    wire.request(rank, new Request.Leave());
  }
}
