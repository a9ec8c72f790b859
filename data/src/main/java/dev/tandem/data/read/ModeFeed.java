package dev.tandem.data.read;

import dev.tandem.comm.Communicator;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.HeldRecords;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.load.Feed;
import dev.tandem.data.load.Fetch;
import dev.tandem.data.load.Plan;
import dev.tandem.data.load.StepSamples;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Step;
import dev.tandem.data.order.Steps;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Feeds a loader by a {@link ReadMode}: what every step needs is read by all ranks together as the
 * mode has it, in key order, the first record again behind the last. A thread of its own reads and
 * keeps a few steps ahead of the loader.
 *
 * <p>All ranks make their feeds together, at the same place in the order of their operations; the
 * reading has a group of its own, so that training may communicate meanwhile. Closing before the
 * end reads the rest without keeping it, because other ranks wait for it.
 */
public final class ModeFeed implements Feed {

  /** Steps that wait for the loader, which keeps others itself. */
  private static final int STEPS_AHEAD = 4;

  private final Steps steps;
  private final Plan plan;
  private final Communicator group;
  private final Thread thread;
  private Position position;
  private long planned;
  private long typicalBytes;

  // Under this object's monitor.
  private final Map<Long, RecordBlock> ready = new HashMap<>();
  private Throwable failure;
  private ReaderReport report;
  private boolean closed;

  /**
   * Begins to read.
   *
   * @param steps in key order and circular, from the start: the order that read modes have
   * @param communicator of all ranks of the plan
   */
  public ModeFeed(Path database, ReadMode mode, Steps steps, Plan plan, Communicator communicator) {
    if (!(steps.order().shuffle() instanceof Shuffle.None)
        || steps.epochEnd() != EpochEnd.CIRCULAR
        || !plan.from().equals(Position.START)) {
      throw new UsageException(
          "read modes feed steps in key order, circular and from the start; use a source otherwise");
    }
    this.steps = steps;
    this.plan = plan;
    this.position = plan.from();
    this.group = communicator.group(IntStream.range(0, communicator.size()).toArray());
    ReadRequest request =
        new ReadRequest(
            database,
            mode,
            steps.globalBatch(),
            plan.steps(),
            BatchPlan.Access.STRIDED,
            steps.order().seed(),
            false);
    this.thread =
        Thread.ofPlatform().daemon().name("tandem-mode-feed").start(() -> readAll(request));
  }

  private void readAll(ReadRequest request) {
    try (Communicator own = group) {
      StepCollector collector = new StepCollector();
      ReaderReport done = ReadJob.read(request, own, collector);
      collector.finish();
      synchronized (this) {
        report = done;
      }
    } catch (Throwable e) {
      synchronized (this) {
        failure = e;
        notifyAll();
      }
    }
  }

  @Override
  public int largestShare() {
    return Math.ceilDiv(steps.globalBatch(), plan.ranks());
  }

  @Override
  public Optional<Fetch> next(long mostBytes) {
    if (planned == plan.steps()) {
      return Optional.empty();
    }
    Step step = steps.at(position);
    position = step.next();
    return Optional.of(new StepFetch(planned++, samples(step)));
  }

  private StepSamples samples(Step step) {
    Step.Share share = step.share(plan.rank(), plan.ranks());
    long[] ordinals = new long[share.count()];
    long[] epochs = new long[share.count()];
    for (int i = 0; i < ordinals.length; i++) {
      ordinals[i] = steps.order().placeOf(share.from() + i);
      epochs[i] = steps.order().epochOf(share.from() + i);
    }
    return new StepSamples(step, ordinals, epochs);
  }

  /** What the reading cost this rank; there when all steps were read. */
  public ReaderReport report() {
    join();
    synchronized (this) {
      if (report == null) {
        throw PrivateRing.rethrown(failure);
      }
      return report;
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      ready.clear();
      notifyAll();
    }
    join();
  }

  private void join() {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while reading", e);
    }
  }

  @SuppressWarnings("WaitNotInLoop") // callers look again
  private void pause() {
    try {
      wait();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while reading", e);
    }
  }

  private synchronized void deliver(long step, RecordBlock block, long bytes) {
    typicalBytes = bytes;
    while (ready.size() >= STEPS_AHEAD && !closed) {
      pause();
    }
    if (!closed) {
      ready.put(step, block);
      notifyAll();
    }
  }

  private synchronized RecordBlock take(long step) {
    while (!ready.containsKey(step)) {
      if (failure != null) {
        throw PrivateRing.rethrown(failure);
      }
      if (closed) {
        throw new WorkFailedException("the loader was closed");
      }
      pause();
    }
    RecordBlock block = ready.remove(step);
    notifyAll();
    return block;
  }

  private synchronized long typicalBytes() {
    return typicalBytes;
  }

  /**
   * Copies what the mode lends, and makes a block of every step's records. A step is handed on when
   * the next begins: only then has the mode made sure that no writer overwrote it.
   */
  private final class StepCollector extends RecordCopies {

    private final int share = steps.at(Position.START).share(plan.rank(), plan.ranks()).count();
    private long step;

    @Override
    void adding(int held) {
      if (held == share) {
        finish();
      }
    }

    void finish() {
      if (share > 0) {
        long bytes = bytes();
        deliver(step++, take(), bytes);
      }
    }
  }

  /** The records of one step. */
  private final class StepFetch implements Fetch {

    private final long number;
    private final StepSamples samples;

    StepFetch(long number, StepSamples samples) {
      this.number = number;
      this.samples = samples;
    }

    @Override
    public List<StepSamples> steps() {
      return List.of(samples);
    }

    @Override
    public long expectedBytes() {
      return typicalBytes();
    }

    @Override
    public RecordBlock read() {
      return samples.count() == 0 ? new HeldRecords() : take(number);
    }
  }
}
