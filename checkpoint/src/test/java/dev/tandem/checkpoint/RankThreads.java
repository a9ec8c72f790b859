package dev.tandem.checkpoint;

import dev.tandem.comm.Communicator;
import dev.tandem.testkit.Watchdog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs the same work in several ranks that are threads. */
final class RankThreads {

  private RankThreads() {}

  /** What a rank does. */
  interface Work<T> {
    T run(Communicator communicator) throws Exception;
  }

  /** The results in rank order; a failure of any rank is thrown. */
  static <T> List<T> run(int ranks, Work<T> work) throws Exception {
    return Watchdog.within(
        Duration.ofSeconds(60),
        () -> {
          try (ExecutorService threads =
              Executors.newThreadPerTaskExecutor(
                  Thread.ofPlatform().daemon().name("rank-", 0).factory())) {
            List<Future<T>> futures = new ArrayList<>();
            for (Communicator communicator : Communicator.threads(ranks)) {
              futures.add(
                  threads.submit(
                      () -> {
                        try (communicator) {
                          return work.run(communicator);
                        }
                      }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
              results.add(future.get());
            }
            return results;
          }
        });
  }
}
