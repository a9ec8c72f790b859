package dev.tandem.servers;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * One shard of the parameters on its server.
 *
 * <p>{@code Note [what is applied when]}: with a staleness of 0 a step's gradients of all clients
 * are kept until the last one is there, summed in the order of clients and applied as one: that is
 * synchronous training, with the same bits in every run, and without proxies (where clients are the
 * ranks) with the bits of a sum in rank order. With a larger staleness every gradient is applied
 * when it comes, by itself: nobody waits for a slow worker in order to use a fast one's gradient.
 * Then the bits depend on the order of arrival, and momentum is kept from push to push instead of
 * from step to step.
 *
 * <p>{@code Note [late gradients]}: between a client's pull and its push others push, too, so its
 * gradient belongs to older parameters. With {@code n} clients that is {@code n - 1} pushes on
 * average, {@code d = (n - 1) / n} of a step, whatever the staleness; single ones may be late by
 * many steps. Heavy momentum stands no lateness at all: for a parabola of curvature {@code h}, SGD
 * with momentum {@code m} on time is stable up to {@code rate * h = 2 (1 + m)}, one step late only
 * up to {@code 1 - m}, which for 0.9 is 38 times less; and what lateness adds is momentum itself
 * (Mitliagkas and others, 2016). Hence the rule keeps the momentum {@code 1 - (1 - m)(1 + d)} (of
 * 0.9 with two clients 0.85, with many 0.8), which divides the sum of all that a gradient ever does
 * by {@code 1 + d}; and a gradient that is late by {@code t > 1} steps has the weight {@code 1 / t}
 * (Zhang and others, 2016).
 */
final class ShardStore implements Store {

  private final UpdateRule rule;
  private final UpdateRule.Part part;
  private final double[] shares;
  private final int staleness;
  private final boolean compensates;
  private final FailureLatch failures;
  private final Clocks clocks;
  private final Contributions round;
  private final Reduction reduction = new Reduction(DType.FLOAT32, ReduceOp.SUM);
  private final MemorySegment sum;

  /** Steps that were applied, in parts where clients come one by one. */
  private double applied;

  /** How many were when a client last pulled. */
  private final double[] pulled;

  private long stopAt = Long.MAX_VALUE;
  private long notices;

  /**
   * A shard.
   *
   * @param first values of what it holds; copied
   * @param shares of each client in a step
   */
  ShardStore(
      ServerSettings settings, UpdateRule.Part first, double[] shares, FailureLatch failures) {
    this.staleness = settings.staleness();
    this.compensates = settings.compensate() && staleness > 0;
    this.rule =
        compensates
            ? settings.rule().whenLate((shares.length - 1.0) / shares.length)
            : settings.rule();
    this.shares = shares.clone();
    this.pulled = new double[shares.length];
    this.failures = failures;
    List<MemorySegment> slots = first.slots().stream().map(ShardStore::copy).toList();
    part = new UpdateRule.Part(first.first(), copy(first.parameters()), slots);
    clocks = new Clocks(shares.length);
    round = new Contributions(shares.length, new Contributions.Pool(bytes()));
    sum = Arena.ofAuto().allocate(staleness == 0 ? bytes() : 0, 64);
    failures.watchedBy(this);
  }

  private static MemorySegment copy(MemorySegment values) {
    return Arena.ofAuto().allocate(values.byteSize(), 64).copyFrom(values);
  }

  @Override
  public long bytes() {
    return part.parameters().byteSize();
  }

  @Override
  public synchronized void push(int client, Request.Push push, MemorySegment gradient) {
    failures.check();
    if (push.notices() != 0) {
      notices |= push.notices();
      // See Note [stopping together] in Notice.
      stopAt = Math.min(stopAt, clocks.slowest() + staleness + 1);
    }
    if (staleness == 0) {
      round.add(client, push, gradient);
      applyIfComplete();
    } else {
      rule.apply(part, gradient, push.rate(), shares[client], weight(client));
      applied += shares[client];
    }
    clocks.advance(client, push.clock());
    notifyAll();
  }

  /** See {@code Note [late gradients]}. */
  private double weight(int client) {
    return compensates ? 1 / Math.max(1, applied - pulled[client]) : 1;
  }

  private void applyIfComplete() {
    if (round.complete(clocks)) {
      round.sum(reduction, sum);
      rule.apply(part, sum, round.rate(), 1, 1);
      round.clear();
    }
  }

  @Override
  public synchronized Request.Answer pull(int client, Request.Ask ask, MemorySegment target) {
    long needed =
        switch (ask.what()) {
          case CURRENT -> ask.clock() - staleness;
          case FRESH, SLOT -> ask.clock();
        };
    failures.await(this, () -> clocks.slowest() >= needed);
    target.copyFrom(
        switch (ask.what()) {
          case CURRENT, FRESH -> part.parameters();
          case SLOT -> part.slots().get(ask.slot());
        });
    pulled[client] = applied;
    return new Request.Answer(clocks.slowest(), stopAt, notices);
  }

  @Override
  public synchronized void leave(int client) {
    clocks.leave(client);
    if (staleness == 0) {
      applyIfComplete();
    }
    notifyAll();
  }
}
