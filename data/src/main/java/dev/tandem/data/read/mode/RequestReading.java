package dev.tandem.data.read.mode;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.read.request.ReadRound;
import dev.tandem.data.read.request.RequestThreads;
import dev.tandem.posix.PositionalFile;

/**
 * Reads by requests: one thread plans rounds, as many as the queue is deep read, the calling one
 * consumes. The other readers of the group, if any, take theirs from the same ring.
 */
final class RequestReading implements Reading {

  private final RoundPlanner planner;
  private final SlotRing ring;
  private final PositionalFile file;
  private final RequestThreads threads;
  private final ReadTurns turns;
  private final OversizedValues outside;
  private final Planning planning = new Planning();

  /**
   * Takes the ring and the file over.
   *
   * @param queueDepth requests under way at once
   * @param shortRequests requests are a few pages each
   * @param turns when this reader may read
   */
  RequestReading(
      RoundPlanner planner,
      SlotRing ring,
      PositionalFile file,
      int queueDepth,
      boolean shortRequests,
      ReadTurns turns,
      OversizedValues outside) {
    this.planner = planner;
    this.ring = ring;
    this.file = file;
    this.turns = turns;
    this.outside = outside;
    this.threads = new RequestThreads(file, queueDepth, shortRequests, ring);
    planning.setDaemon(true);
    planning.start();
  }

  @Override
  public void run(RecordVisitor visitor, Breakdown breakdown) {
    new RoundConsumer(ring, 0, true, outside).run(visitor, breakdown);
    planning.await();
    breakdown.skew += turns.waited();
  }

  private final class Planning extends Thread {

    Planning() {
      super("tandem-read-plan");
    }

    void await() {
      try {
        join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new WorkFailedException("interrupted while reading", e);
      }
    }

    @Override
    public void run() {
      try {
        long round = 0;
        boolean last;
        do {
          turns.begin(planner.iteration());
          ring.awaitFree(round);
          ReadRound next = planner.next(ring.slot(round), ring, round);
          last = planner.done();
          threads.submit(next);
          turns.end(planner.iteration(), threads);
          round++;
        } while (!last);
        turns.finish(threads);
        threads.complete();
      } catch (Throwable e) {
        ring.fail(e);
      }
    }
  }

  @Override
  public void close() {
    ring.close();
    threads.close();
    threads.join();
    file.close();
  }
}
