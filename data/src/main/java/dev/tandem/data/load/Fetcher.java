package dev.tandem.data.load;

import dev.tandem.data.RecordBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** Reads the records of the steps ahead; several threads may run the same fetcher. */
final class Fetcher implements Runnable {

  private final Feed feed;
  private final StepQueue queue;
  private final StageMeter meter;
  private final long mostBytes;
  private final int workers;

  /** Held by the one thread that plans, also while it waits for memory. */
  private final ReentrantLock planning = new ReentrantLock();

  /**
   * A fetcher for all steps of a feed.
   *
   * @param mostBytes of records to read together
   * @param workers threads that will share a step
   */
  Fetcher(Feed feed, StepQueue queue, StageMeter meter, long mostBytes, int workers) {
    this.feed = feed;
    this.queue = queue;
    this.meter = meter;
    this.mostBytes = mostBytes;
    this.workers = workers;
  }

  private record Ticket(long number, Fetch fetch) {}

  @Override
  public void run() {
    try {
      boolean wanted = true;
      while (wanted) {
        Optional<Ticket> ticket = plan();
        wanted = ticket.isPresent() && fetch(ticket.get());
      }
    } catch (Throwable e) {
      // Planning failed: there is no ticket that would put the failure in its place.
      queue.fail(Worker.asTandemException(e));
    }
  }

  private Optional<Ticket> plan() {
    planning.lock();
    try {
      Optional<Fetch> next = feed.next(mostBytes);
      if (next.isEmpty()) {
        queue.endAfterLastTicket();
        return Optional.empty();
      }
      long number = queue.reserve(next.get().expectedBytes());
      return number < 0 ? Optional.empty() : Optional.of(new Ticket(number, next.get()));
    } finally {
      planning.unlock();
    }
  }

  private boolean fetch(Ticket ticket) {
    List<StepWork> works = read(ticket.fetch);
    if (queue.deliver(ticket.number, works)) {
      return true;
    }
    if (works.getFirst().group() != null) {
      works.getFirst().group().close();
    }
    return false;
  }

  private List<StepWork> read(Fetch fetch) {
    try {
      long began = System.nanoTime();
      RecordBlock block = fetch.read();
      long bytes = block.bytes();
      meter.read(System.nanoTime() - began, bytes);
      queue.correct(bytes - fetch.expectedBytes());
      FetchedGroup group = new FetchedGroup(block, bytes, fetch.steps().size());
      List<StepWork> works = new ArrayList<>();
      int first = 0;
      for (StepSamples samples : fetch.steps()) {
        works.add(new StepWork(samples, group, first, workers));
        first += samples.count();
      }
      return works;
    } catch (Throwable e) {
      return List.of(StepWork.failed(Worker.asTandemException(e)));
    }
  }
}
