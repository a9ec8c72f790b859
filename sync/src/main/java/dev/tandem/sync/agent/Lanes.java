package dev.tandem.sync.agent;

import dev.tandem.sync.plan.RequestGraph.Tensor;
import dev.tandem.sync.request.Outcome;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where transfers run: in the background thread if there is one lane, else in those of the lanes,
 * one after the other in each. Transfers are dealt out in turn, and all ranks begin them in the
 * same order, so each lane has the same transfers in the same order on all ranks: lanes never wait
 * for each other, and each has a communicator of its own.
 *
 * <p>What ended in which order is different on each rank. Whoever needs to know that everything
 * before is over, such as a negotiation that looks at finished steps, calls {@link #drain}.
 *
 * <p>The background thread deals out; a lane that fails closes the intake, and the next call fails.
 */
final class Lanes {

  private final Intake intake;
  private final List<Transfers> lanes;

  /** What each lane is to do; nothing: it ends. */
  private final List<BlockingQueue<Optional<Runnable>>> queues = new ArrayList<>();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition idle = lock.newCondition();
  private int underWay;
  private Optional<RuntimeException> failure = Optional.empty();
  private long count;

  /**
   * Lanes for these transfers.
   *
   * @param threads of the lanes, if there are several
   */
  Lanes(Intake intake, List<Transfers> lanes, Thread.Builder threads) {
    this.intake = intake;
    this.lanes = List.copyOf(lanes);
    for (int lane = 0; this.lanes.size() > 1 && lane < this.lanes.size(); lane++) {
      BlockingQueue<Optional<Runnable>> queue = new LinkedBlockingQueue<>();
      queues.add(queue);
      threads.name("tandem-sync-lane-" + lane).start(() -> work(queue));
    }
  }

  /** Whether transfers run in the thread that begins them. */
  boolean inline() {
    return queues.isEmpty();
  }

  /** Transfers tensors that fuse. */
  void run(List<Tensor> tensors, List<Optional<Entry>> entries) {
    long number = count++;
    Transfers lane = lanes.get((int) (number % lanes.size()));
    begin(number, () -> lane.run(number, tensors, entries));
  }

  /** Transfers tensors that fill one slice of memory. */
  void runSlice(
      List<Tensor> tensors, List<Entry> entries, MemorySegment slice, GradientMemory memory) {
    long number = count++;
    Transfers lane = lanes.get((int) (number % lanes.size()));
    begin(number, () -> lane.runSlice(number, tensors, entries, slice, memory));
  }

  private void begin(long number, Runnable transfer) {
    if (queues.isEmpty()) {
      transfer.run();
      return;
    }
    lock.lock();
    try {
      failure.ifPresent(
          failed -> {
            throw failed;
          });
      underWay++;
    } finally {
      lock.unlock();
    }
    queues.get((int) (number % queues.size())).add(Optional.of(transfer));
  }

  private void work(BlockingQueue<Optional<Runnable>> queue) {
    try {
      for (var transfer = queue.take(); transfer.isPresent(); transfer = queue.take()) {
        transfer.get().run();
        ended();
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e); // Nobody knows the thread.
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  private void fail(RuntimeException e) {
    lock.lock();
    try {
      failure = Optional.of(e);
      // Who waits for the rest would wait for ever.
      underWay = 0;
      idle.signalAll();
    } finally {
      lock.unlock();
    }
    intake.close(new Outcome.Failed(e));
  }

  private void ended() {
    lock.lock();
    try {
      underWay = Math.max(0, underWay - 1);
      if (underWay == 0) {
        idle.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits until all transfers that were begun are over. */
  void drain() {
    lock.lock();
    try {
      while (underWay > 0) {
        idle.awaitUninterruptibly();
      }
      failure.ifPresent(
          failed -> {
            throw failed;
          });
    } finally {
      lock.unlock();
    }
  }

  /** Lets the threads end once they have nothing to do. */
  void close() {
    queues.forEach(queue -> queue.add(Optional.empty()));
  }
}
