package dev.tandem.bench.checkpoint;

import dev.tandem.comm.Communicator;
import dev.tandem.core.WorkFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/** Ranks that are threads of this process and do the same work again and again. */
final class RankGang implements AutoCloseable {

  private final List<Communicator> communicators;
  private final ExecutorService threads;

  RankGang(int ranks) {
    communicators = Communicator.threads(ranks);
    threads =
        Executors.newFixedThreadPool(
            ranks, Thread.ofPlatform().daemon().name("bench-rank-", 0).factory());
  }

  /** What every rank made of it, in rank order. */
  <T> List<T> run(Function<Communicator, T> work) {
    List<Future<T>> futures = new ArrayList<>();
    for (Communicator communicator : communicators) {
      futures.add(threads.submit(() -> work.apply(communicator)));
    }
    List<T> results = new ArrayList<>();
    for (Future<T> future : futures) {
      try {
        results.add(future.get());
      } catch (ExecutionException e) {
        throw new WorkFailedException("a rank failed: " + e.getCause().getMessage(), e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new WorkFailedException("interrupted while ranks were saving", e);
      }
    }
    return results;
  }

  @Override
  public void close() {
    threads.close();
    communicators.forEach(Communicator::close);
  }
}
