package dev.tandem.data;

import dev.tandem.core.TandemException;
import dev.tandem.core.WorkFailedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Decodes one rank's share of every step, ahead of the consumer, within {@code depth} batches of
 * memory. It starts at any step and reads nothing before it; the batches of a step depend on the
 * order, the rank and the number of ranks alone.
 *
 * <p>One consumer thread calls {@link #next()}; a batch is valid until the following call. A
 * failure of the reading thread comes out of {@code next()}. Closing ends the thread and frees the
 * batches; the source stays the caller's.
 */
public final class Loader implements AutoCloseable {

  /** Which part of the order this loader serves. */
  public record Plan(int rank, int ranks, long firstStep, long endStep) {}

  /** Filled by the thread, or the failure that ended it. */
  private record Outcome(Batch batch, Slot slot, RuntimeException failure) {}

  private record Slot(MemorySegment images, MemorySegment labels) {}

  private final RecordSource source;
  private final SampleOrder order;
  private final SampleDecoder decoder;
  private final ImageFormat format;
  private final Plan plan;
  private final Arena arena = Arena.ofShared();
  private final BlockingQueue<Slot> free;
  private final BlockingQueue<Outcome> filled;
  private final Thread thread;
  private Slot lent;
  private long step;

  public Loader(RecordSource source, SampleOrder order, ImageFormat format, Plan plan, int depth) {
    this.source = source;
    this.order = order;
    this.format = format;
    this.decoder = new SampleDecoder(format);
    this.plan = plan;
    this.step = plan.firstStep();
    this.free = new ArrayBlockingQueue<>(depth);
    this.filled = new ArrayBlockingQueue<>(depth + 1);
    // Shares of a step differ by at most one sample between ranks.
    int capacity = (order.largestStep() + plan.ranks() - 1) / plan.ranks();
    for (int i = 0; i < depth; i++) {
      free.add(
          new Slot(
              arena.allocate(ValueLayout.JAVA_FLOAT, (long) capacity * format.values()),
              arena.allocate(ValueLayout.JAVA_LONG, capacity)));
    }
    thread = Thread.ofPlatform().daemon().name("loader-" + plan.rank()).start(this::fill);
  }

  /** The next step's batch; after the last step an {@link IllegalStateException}. */
  public Batch next() {
    if (step >= plan.endStep()) {
      throw new IllegalStateException("the loader ends at step " + plan.endStep());
    }
    if (lent != null) {
      free.add(lent);
      lent = null;
    }
    try {
      Outcome outcome = filled.take();
      if (outcome.failure() != null) {
        filled.add(outcome);
        throw outcome.failure();
      }
      lent = outcome.slot();
      step++;
      return outcome.batch();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while waiting for step " + step, e);
    }
  }

  private void fill() {
    try {
      for (long s = plan.firstStep(); s < plan.endStep(); s++) {
        Slot slot = free.take();
        filled.put(new Outcome(read(s, slot), slot, null));
      }
    } catch (TandemException e) {
      filled.add(new Outcome(null, null, e));
    } catch (InterruptedException e) {
      // Closed: nobody waits for more.
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      filled.add(new Outcome(null, null, new WorkFailedException("loader failed: " + e, e)));
    }
  }

  private Batch read(long s, Slot slot) {
    SampleOrder.Share share = order.share(s, plan.rank(), plan.ranks());
    for (int i = 0; i < share.count(); i++) {
      long ordinal = order.ordinal(share.epoch(), share.from() + i);
      decoder.decode(source.record(ordinal), slot.images(), slot.labels(), i);
    }
    return new Batch(
        slot.images().asSlice(0, (long) share.count() * format.values() * Float.BYTES),
        slot.labels().asSlice(0, (long) share.count() * Long.BYTES),
        share.count(),
        share.globalCount());
  }

  @Override
  public void close() {
    thread.interrupt();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    arena.close();
  }
}
