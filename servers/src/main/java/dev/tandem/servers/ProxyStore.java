package dev.tandem.servers;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Stands between clients that are near each other and the servers, or the next proxy: sums the
 * gradients that its clients push for the same clock, in their order, and forwards one; right after
 * that it fetches the parameters, before anybody asks, and hands them out.
 *
 * <p>{@code Note [servers never block each other]}: a proxy talks to its upstream in a thread of
 * its own, which pushes a round as soon as all clients have contributed, in the order of clocks.
 * Towards upstream the proxy is a client at the clock of its slowest one; so the slowest worker of
 * all is held up by nobody: what it needs has the age {@code s} or less, all that it waits for is
 * pushed already, and pushes wait for nothing. A faster client waits until a fetch is fresh enough
 * for it; at the latest that is the one after the round of its own clock, to which all slower
 * clients get as well. While the thread waits for an answer it does not forward, but clients that
 * could wait for its next round, a client {@code s} rounds ahead, is not the slowest one that the
 * answer waits for.
 *
 * <p>{@code Note [staleness is for late workers]}: a client that asks waits for the fetch after the
 * last round that all clients of the proxy have contributed to by then, also where older parameters
 * were fresh enough. Otherwise nobody would wait for the proxy's thread: clients that compute
 * faster than it forwards and fetches would queue up round after round until they are {@code s}
 * ahead of it, and every gradient would be {@code s} steps old though no worker is late. This wait
 * holds nobody up for long: the round is complete, and its fetch waits for workers that are {@code
 * s} behind the slowest client, who keep the client that asks waiting anyway. So what a worker gets
 * lacks only what late workers have not pushed yet, and what their neighbours, perhaps the worker
 * itself, have pushed for the same rounds.
 */
final class ProxyStore implements Store {

  private final long bytes;
  private final int clients;
  private final int staleness;
  private final FailureLatch failures;
  private final Upstream upstream;
  private final Clocks clocks;
  private final Contributions.Pool pool;
  private final Map<Long, Contributions> rounds = new HashMap<>();
  private final Reduction reduction = new Reduction(DType.FLOAT32, ReduceOp.SUM);
  private final MemorySegment sum;
  private long forwarded;

  /** The last round that had been forwarded when the parameters at hand were asked for. */
  private long fetched;

  /** The parameters as they were fetched last, and where the next ones go meanwhile. */
  private MemorySegment cached;

  private MemorySegment arriving;
  private Request.Answer answer = new Request.Answer(0, Long.MAX_VALUE, 0);

  /** By kind (0: fresh parameters, 1 + i: slot i) the clock for which it is wanted and there. */
  private final long[] wanted;

  private final long[] there;
  private final MemorySegment[] slots;

  /** What the thread does next. */
  private sealed interface Task {

    record Forward(long clock, Contributions round) implements Task {}

    record Fetch(int kind, long clock) implements Task {}

    record Leave() implements Task {}
  }

  /**
   * A proxy; {@link #run} is the work of its thread.
   *
   * @param first values of the parameters; copied
   * @param slotCount what the servers keep for each parameter
   */
  ProxyStore(
      MemorySegment first,
      int slotCount,
      int clients,
      int staleness,
      Upstream upstream,
      FailureLatch failures) {
    this.bytes = first.byteSize();
    this.clients = clients;
    this.staleness = staleness;
    this.upstream = upstream;
    this.failures = failures;
    clocks = new Clocks(clients);
    pool = new Contributions.Pool(bytes);
    sum = Arena.ofAuto().allocate(bytes, 64);
    cached = Arena.ofAuto().allocate(bytes, 64).copyFrom(first);
    arriving = Arena.ofAuto().allocate(bytes, 64);
    wanted = new long[1 + slotCount];
    there = new long[1 + slotCount];
    Arrays.fill(wanted, -1);
    Arrays.fill(there, -1);
    slots = new MemorySegment[slotCount];
    failures.watchedBy(this);
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public synchronized void push(int client, Request.Push push, MemorySegment gradient) {
    failures.check();
    rounds
        .computeIfAbsent(push.clock(), clock -> new Contributions(clients, pool))
        .add(client, push, gradient);
    clocks.advance(client, push.clock());
    notifyAll();
  }

  @Override
  public synchronized Request.Answer pull(int client, Request.Ask ask, MemorySegment target) {
    switch (ask.what()) {
      case CURRENT -> {
        // See Note [staleness is for late workers].
        long complete = clocks.slowest();
        failures.await(
            this, () -> fetched >= complete && answer.version() >= ask.clock() - staleness);
        target.copyFrom(cached);
      }
      case FRESH -> {
        awaitFetch(0, ask.clock());
        target.copyFrom(cached);
      }
      case SLOT -> {
        awaitFetch(1 + ask.slot(), ask.clock());
        target.copyFrom(slots[ask.slot()]);
      }
    }
    return answer;
  }

  /** All clients want it for the same clock; it is fetched once. */
  private void awaitFetch(int kind, long clock) {
    wanted[kind] = Math.max(wanted[kind], clock);
    notifyAll();
    failures.await(this, () -> there[kind] >= clock);
  }

  @Override
  public synchronized void leave(int client) {
    clocks.leave(client);
    notifyAll();
  }

  /** Forwards and fetches until all clients have left. */
  void run() {
    try {
      Task task = next();
      while (!(task instanceof Task.Leave)) {
        switch (task) {
          case Task.Forward(long clock, Contributions round) -> forward(clock, round);
          case Task.Fetch(int kind, long clock) -> fetch(kind, clock);
          case Task.Leave _ -> throw new IllegalStateException("the loop has ended");
        }
        task = next();
      }
      upstream.leave();
    } catch (RuntimeException e) {
      failures.fail(e);
    }
  }

  /** Rounds come first: what is fetched for a clock must have all that was pushed up to it. */
  private synchronized Task next() {
    failures.await(this, () -> ready().isPresent());
    return ready().orElseThrow();
  }

  private Optional<Task> ready() {
    Contributions round = rounds.get(forwarded + 1);
    if (round != null && round.complete(clocks)) {
      return Optional.of(new Task.Forward(forwarded + 1, round));
    }
    for (int kind = 0; kind < wanted.length; kind++) {
      if (wanted[kind] > there[kind] && forwarded >= wanted[kind]) {
        return Optional.of(new Task.Fetch(kind, wanted[kind]));
      }
    }
    return clocks.slowest() == Clocks.LEFT ? Optional.of(new Task.Leave()) : Optional.empty();
  }

  /** Nobody else touches a round that is complete, nor the memory for what arrives. */
  private void forward(long clock, Contributions round) {
    round.sum(reduction, sum);
    upstream.push(new Request.Push(clock, round.rate(), round.notices()), sum);
    synchronized (this) {
      rounds.remove(clock);
      round.clear();
      forwarded = clock;
    }
    upstream.ask(new Request.Ask(Request.What.CURRENT, clock, 0));
    show(clock, upstream.take(arriving));
  }

  private void fetch(int kind, long clock) {
    if (kind == 0) {
      upstream.ask(new Request.Ask(Request.What.FRESH, clock, 0));
      show(clock, upstream.take(arriving));
    } else {
      int slot = kind - 1;
      if (slots[slot] == null) {
        slots[slot] = Arena.ofAuto().allocate(bytes, 64);
      }
      upstream.ask(new Request.Ask(Request.What.SLOT, clock, slot));
      upstream.take(slots[slot]);
    }
    synchronized (this) {
      there[kind] = clock;
      notifyAll();
    }
  }

  /** Hands out from now on what has arrived after a round. */
  private synchronized void show(long round, Request.Answer arrived) {
    fetched = Math.max(fetched, round);
    MemorySegment last = cached;
    cached = arriving;
    arriving = last;
    answer = arrived;
    notifyAll();
  }
}
