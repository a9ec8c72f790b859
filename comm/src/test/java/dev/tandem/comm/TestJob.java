package dev.tandem.comm;

import dev.tandem.comm.collective.CollectiveSettings;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.comm.rendezvous.JobSecret;
import dev.tandem.comm.rendezvous.RendezvousHost;
import dev.tandem.comm.rendezvous.TlsKeys;
import dev.tandem.comm.transport.ThreadsTransport;
import dev.tandem.comm.transport.Transport;
import dev.tandem.testkit.Watchdog;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;

/** Runs the same program as every rank of a small job inside the test's JVM. */
final class TestJob {

  /** How the ranks of a test job are connected. */
  enum Kind {
    /** Threads that send messages. */
    THREADS,
    /** Threads that share memory. */
    THREADS_WITH_BOARD,
    /** As processes are, by connections. */
    TCP,
    /** As processes are, by a shared file. */
    SHARED_MEMORY,
    /**
     * As processes of two hosts are: the lower half of the ranks is on one, the rest on another.
     */
    HYBRID
  }

  /** What a rank does. */
  interface Program<T> {
    T run(Communicator communicator) throws Exception;
  }

  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  // Long, for the machine may be busy: tests of silence set their own.
  private static final FaultLimits LIMITS = new FaultLimits(Duration.ofSeconds(30), PATIENCE);

  private TestJob() {}

  /** The results of all ranks, in rank order; a failure of any rank is thrown. */
  static <T> List<T> run(Kind kind, int size, Program<T> program) throws Exception {
    return switch (kind) {
      case THREADS -> runThreads(size, false, program);
      case THREADS_WITH_BOARD -> runThreads(size, true, program);
      case TCP -> runProcesses(size, TransportKind.TCP, program);
      case SHARED_MEMORY -> runProcesses(size, TransportKind.SHARED_MEMORY, program);
      case HYBRID -> runProcesses(size, TransportKind.HYBRID, program);
    };
  }

  private static <T> List<T> runThreads(int size, boolean slots, Program<T> program)
      throws Exception {
    List<Transport> transports = ThreadsTransport.create(size, slots);
    return runAll(size, rank -> Communicator.over(transports.get(rank)), program);
  }

  /**
   * Threads that pretend to run on several hosts.
   *
   * @param hosts the number of every rank's host
   * @param sharedSlots whether the ranks of a host share memory
   */
  static <T> List<T> runOnHosts(List<Integer> hosts, boolean sharedSlots, Program<T> program)
      throws Exception {
    int[] numbers = hosts.stream().mapToInt(Integer::intValue).toArray();
    List<Transport> transports = ThreadsTransport.create(numbers, sharedSlots);
    return runAll(hosts.size(), rank -> Communicator.over(transports.get(rank)), program);
  }

  /** As processes are, with settings for each rank. */
  static <T> List<T> runWith(
      TransportKind kind, List<CollectiveSettings> settings, Program<T> program) throws Exception {
    int size = settings.size();
    try (RendezvousHost host =
        RendezvousHost.open(size, JobSecret.random(), PATIENCE, line -> {})) {
      return runAll(
          size,
          rank -> Communicator.join(host.environment(rank), LIMITS, kind, settings.get(rank)),
          program);
    }
  }

  private static <T> List<T> runProcesses(int size, TransportKind kind, Program<T> program)
      throws Exception {
    try (RendezvousHost host =
        RendezvousHost.open(size, JobSecret.random(), PATIENCE, line -> {})) {
      return runAll(
          size,
          rank ->
              Communicator.join(host.environment(rank).on(hostOf(kind, rank, size)), LIMITS, kind),
          program);
    }
  }

  /**
   * As processes are, by connections with TLS.
   *
   * @param hosts the number of every rank's host; between hosts there are two sockets a pair
   */
  static <T> List<T> runTls(TlsKeys keys, List<Integer> hosts, Program<T> program)
      throws Exception {
    InetSocketAddress anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (RendezvousHost host =
        RendezvousHost.open(
            hosts.size(),
            JobSecret.random(),
            Optional.of(keys),
            anywhere,
            PATIENCE,
            line -> System.out.println("refused: " + line))) {
      return runAll(
          hosts.size(),
          rank ->
              Communicator.join(
                  host.environment(rank).on("host-" + hosts.get(rank)), LIMITS, TransportKind.TCP),
          program);
    }
  }

  private static String hostOf(TransportKind kind, int rank, int size) {
    return kind == TransportKind.HYBRID ? "host-" + rank * 2 / size : JobEnvironment.ONE_HOST;
  }

  /** The number of every rank's host. */
  static List<Integer> hosts(Kind kind, int size) {
    return IntStream.range(0, size)
        .mapToObj(rank -> kind == Kind.HYBRID ? rank * 2 / size : 0)
        .toList();
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
