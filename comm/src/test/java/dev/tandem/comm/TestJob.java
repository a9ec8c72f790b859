package dev.tandem.comm;

import dev.tandem.comm.rendezvous.JobSecret;
import dev.tandem.comm.rendezvous.RendezvousHost;
import dev.tandem.testkit.Watchdog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;

/** Runs the same program as every rank of a small job inside the test's JVM. */
final class TestJob {

  /** How the ranks of a test job are connected. */
  enum Kind {
    THREADS,
    TCP
  }

  /** What a rank does. */
  interface Program<T> {
    T run(Communicator communicator) throws Exception;
  }

  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private TestJob() {}

  /** The results of all ranks, in rank order; a failure of any rank is thrown. */
  static <T> List<T> run(Kind kind, int size, Program<T> program) throws Exception {
    return switch (kind) {
      case THREADS -> {
        List<Communicator> communicators = Communicator.threads(size);
        yield runAll(size, communicators::get, program);
      }
      case TCP -> {
        try (RendezvousHost host =
            RendezvousHost.open(size, JobSecret.random(), PATIENCE, line -> {})) {
          FaultLimits limits = new FaultLimits(Duration.ofSeconds(5), PATIENCE);
          yield runAll(size, rank -> Communicator.join(host.environment(rank), limits), program);
        }
      }
    };
  }

  private interface Connector {
    Communicator connect(int rank);
  }

  private static <T> List<T> runAll(int size, Connector connector, Program<T> program)
      throws Exception {
    List<FutureTask<T>> tasks = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      int mine = rank;
      FutureTask<T> task =
          new FutureTask<>(
              () -> {
                try (Communicator communicator = connector.connect(mine)) {
                  return program.run(communicator);
                }
              });
      Thread.ofPlatform().daemon().name("test-rank-" + rank).start(task);
      tasks.add(task);
    }
    return Watchdog.within(
        LIMIT,
        () -> {
          List<T> results = new ArrayList<>();
          for (FutureTask<T> task : tasks) {
            results.add(task.get());
          }
          return results;
        });
  }
}
