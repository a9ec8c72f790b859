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
 */
final class ShardStore implements Store {

  private final UpdateRule rule;
  private final UpdateRule.Part part;
  private final double[] shares;
  private final int staleness;
  private final FailureLatch failures;
  private final Clocks clocks;
  private final Contributions round;
  private final Reduction reduction = new Reduction(DType.FLOAT32, ReduceOp.SUM);
  private final MemorySegment sum;
  private long stopAt = Long.MAX_VALUE;
  private long notices;

  /**
   * A shard.
   *
   * @param first values of what it holds; copied
   * @param shares of each client in a step
   */
  ShardStore(
      UpdateRule rule,
      UpdateRule.Part first,
      double[] shares,
      int staleness,
      FailureLatch failures) {
    this.rule = rule;
    this.shares = shares.clone();
    this.staleness = staleness;
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
      rule.apply(part, gradient, push.rate(), shares[client]);
    }
    clocks.advance(client, push.clock());
    notifyAll();
  }

  private void applyIfComplete() {
    if (round.complete(clocks)) {
      round.sum(reduction, sum);
      rule.apply(part, sum, round.rate(), 1);
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
