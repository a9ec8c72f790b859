package dev.tandem.parallel;

import dev.tandem.comm.Communicator;
import dev.tandem.testkit.Watchdog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;

/** Ranks as threads of this process. */
public final class RankThreads {

  /** What a rank does. */
  public interface Program<T> {
    T run(Communicator communicator) throws Exception;
  }

  private RankThreads() {}

  /** Runs a program on all ranks; the results by rank. */
  public static <T> List<T> run(int size, Program<T> program) throws Exception {
    return run(Communicator.threads(size), program);
  }

  /** The same for ranks that are there already; each is closed after its program. */
  public static <T> List<T> run(List<Communicator> communicators, Program<T> program)
      throws Exception {
    List<FutureTask<T>> ranks = new ArrayList<>();
    for (Communicator communicator : communicators) {
      FutureTask<T> rank =
          new FutureTask<>(
              () -> {
                try (communicator) {
                  return program.run(communicator);
                }
              });
      Thread.ofPlatform().daemon().start(rank);
      ranks.add(rank);
    }
    return Watchdog.within(
        Duration.ofMinutes(2),
        () -> {
          List<T> results = new ArrayList<>();
          for (FutureTask<T> rank : ranks) {
            results.add(rank.get());
          }
          return results;
        });
  }
}
