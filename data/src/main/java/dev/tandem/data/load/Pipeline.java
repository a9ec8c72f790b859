package dev.tandem.data.load;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * The threads and the memory of a loader: fetchers read records of some steps at a time, workers
 * make samples of them, the consumer takes finished steps in order.
 *
 * <p>Threads are never interrupted: that would close the files of a source that reads through
 * channels. They notice the end when they next look at the queue.
 */
final class Pipeline implements AutoCloseable {

  private static final int MOST_SLOTS = 8;

  private final Feed feed;
  private final StepQueue queue;
  private final Arena arena;
  private final List<Thread> threads = new ArrayList<>();

  Pipeline(
      Feed feed,
      RecordPreparation preparation,
      LoaderOptions options,
      StageMeter meter,
      String name) {
    this.feed = feed;
    arena = options.memory().get();
    int samples = Math.max(1, feed.largestShare());
    long slotBytes = Slot.bytes(preparation, samples);
    long count = Math.clamp(options.prefetchBytes() / 2 / slotBytes, 2, MOST_SLOTS);
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      slots.add(Slot.allocate(arena, preparation, samples));
    }
    long recordBudget = Math.max(1, options.prefetchBytes() - count * slotBytes);
    queue = new StepQueue(slots, recordBudget, meter);
    // Two of them at a time: one is read while the other is worked on.
    long readTogether = Math.max(1, recordBudget / 2);
    Fetcher fetcher = new Fetcher(feed, queue, meter, readTogether, options.threads());
    for (int i = 0; i < options.fetchThreads(); i++) {
      threads.add(start(options, name + "-fetch-" + i, fetcher));
    }
    for (int i = 0; i < options.threads(); i++) {
      Worker worker = new Worker(queue, new SampleWriter(preparation, meter));
      threads.add(start(options, name + "-decode-" + i, worker));
    }
  }

  private static Thread start(LoaderOptions options, String name, Runnable work) {
    Thread.Builder builder = options.virtual() ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
    return builder.name(name).start(work);
  }

  /** Waits for the step of this number, counted from 0; the consumer gives it back. */
  StepWork take(long index) throws InterruptedException {
    feed.asked(index);
    return queue.take();
  }

  /** Batches that are ready to be taken. */
  int finished() {
    return queue.finished();
  }

  /** The memory of a step that was taken may be used for another batch. */
  void release(StepWork work) {
    queue.release(work);
  }

  @Override
  public void close() {
    queue.close();
    feed.close();
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    queue.closeBlocks();
    arena.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
