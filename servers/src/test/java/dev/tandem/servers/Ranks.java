package dev.tandem.servers;

import dev.tandem.comm.Communicator;
import dev.tandem.testkit.Watchdog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Jobs whose ranks are threads of the test. */
public final class Ranks {

  public interface Work<T> {
    T run(Communicator communicator) throws Exception;
  }

  private Ranks() {}

  /** What each rank returns, by rank; fails with all stacks if it takes longer than the limit. */
  public static <T> List<T> run(int size, Duration limit, Work<T> work) throws Exception {
    return run(Communicator.threads(size), limit, work);
  }

  /** The same for ranks that are there already; each is closed with its work. */
  static <T> List<T> run(List<Communicator> communicators, Duration limit, Work<T> work)
      throws Exception {
    return Watchdog.within(limit, () -> runAll(communicators, work));
  }

  private static <T> List<T> runAll(List<Communicator> communicators, Work<T> work)
      throws Exception {
    try (ExecutorService threads =
        Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().factory())) {
      List<Future<T>> futures = new ArrayList<>();
      for (Communicator communicator : communicators) {
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
        results.add(get(future));
      }
      return results;
    }
  }

  private static <T> T get(Future<T> future) throws Exception {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }
}
