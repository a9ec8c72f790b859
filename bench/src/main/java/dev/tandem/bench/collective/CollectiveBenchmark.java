package dev.tandem.bench.collective;

import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.Children;
import dev.tandem.bench.DebianTorch;
import dev.tandem.bench.LiveContender;
import dev.tandem.bench.Machine;
import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Collectives by Tandem, Open MPI, MPICH and Gloo: the same steps on the same data, in private
 * memory, fresh for every call; see {@code Note [live contenders]} of {@link
 * dev.tandem.bench.Contender}.
 */
public final class CollectiveBenchmark {

  /** Sizes that allreduce is measured at. */
  private static final List<Long> SIZES =
      List.of(4L, 1L << 10, 64L << 10, 1L << 20, 16L << 20, 64L << 20);

  private static final Set<CollectiveOperation> STEPS =
      EnumSet.of(CollectiveOperation.ALLREDUCE, CollectiveOperation.FUSED);

  /** Before each turn's measurement: fills caches again that others have used meanwhile. */
  private static final double WARM_UP_SECONDS = 0.02;

  /** Up to this size there is a first lap that does not count: whatever is late comes to rest. */
  private static final long LAP_BYTES = 1024;

  /** What is not compared with a peer is measured once in this many rounds. */
  private static final int ROUNDS_BETWEEN = 3;

  /**
   * How much is measured.
   *
   * @param rounds of turns
   * @param seconds that a turn measures
   * @param compiling seconds that two JVMs may take before their first turn
   * @param levels whether the levels of determinism are measured too
   * @param limit no round but the first begins that would end later, from the start of everything
   */
  public record Effort(
      int rounds, double seconds, double compiling, boolean levels, Duration limit) {

    /** For figures to rely on. */
    public static final Effort FULL = new Effort(15, 0.15, 20, true, Duration.ofHours(1));

    /** Within 75 seconds. */
    public static final Effort QUICK = new Effort(3, 0.03, 4, false, Duration.ofSeconds(72));

    public Effort withRounds(int count) {
      return new Effort(count, seconds, compiling, levels, limit);
    }
  }

  /**
   * What takes part.
   *
   * @param cases of turns, by operation and bytes, such as {@code allreduce 65536}
   * @param contenders by peer and ranks, such as {@code tandem-shm 2}
   */
  public record Selection(Predicate<String> cases, Predicate<String> contenders) {}

  /** A contender and its ranks, which run. */
  private record Live(CollectiveContender contender, LiveContender ranks) {}

  private final Effort effort;
  private final Selection selection;
  private final Progress progress;
  private final CollectiveTimes times = new CollectiveTimes();
  private long started;

  /** Prepares nothing yet. */
  public CollectiveBenchmark(Effort effort, Selection selection, Progress progress) {
    this.effort = effort;
    this.selection = selection;
    this.progress = progress;
  }

  /** Runs everything; fails with the package to install if a peer is missing. */
  public List<CollectiveRow> run() {
    started = System.nanoTime();
    Children.require("mpicc.openmpi", "libopenmpi-dev");
    Children.require("mpirun.openmpi", "openmpi-bin");
    Children.require("mpicc.mpich", "libmpich-dev");
    Children.require("mpirun.mpich", "mpich");
    DebianTorch.missing()
        .ifPresent(
            reason -> {
              throw new WorkFailedException("the benchmark needs Gloo as a peer: " + reason);
            });
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    String machine = Machine.describe(temporary);
    List<Live> live = new ArrayList<>();
    try (BenchFolder scratch = BenchFolder.in(temporary)) {
      try {
        List<CollectiveContender> contenders =
            contenders(scratch).stream().filter(this::selected).toList();
        try (Progress.Task task = progress.start("start", contenders.size(), "contenders")) {
          for (CollectiveContender contender : contenders) {
            live.add(new Live(contender, LiveContender.start(contender, scratch.path())));
            task.advanceTo(live.size());
          }
        }
        measure(live);
      } finally {
        live.forEach(each -> each.ranks().close());
      }
    }
    return times.rows(machine);
  }

  private boolean selected(CollectiveContender contender) {
    return selection.contenders().test(contender.peer() + " " + contender.ranks());
  }

  private void measure(List<Live> contenders) {
    List<Turn> turns = turns();
    try (Progress.Task task =
        progress.start("collective", (long) effort.rounds() * turns.size(), "turns")) {
      turns.stream()
          .filter(turn -> turn.bytes() <= LAP_BYTES)
          .forEach(turn -> turn(contenders, turn));
      times.clear();
      long done = 0;
      long began = System.nanoTime();
      for (int round = 0; round < effort.rounds() && fits(began, round); round++) {
        List<Live> order = round % 2 == 0 ? contenders : contenders.reversed();
        for (Turn turn : turns) {
          if (round % ROUNDS_BETWEEN == 0 || turn.operation().compared()) {
            turn(order, turn);
          }
          task.advanceTo(++done);
        }
      }
    }
  }

  private void turn(List<Live> order, Turn turn) {
    for (Live live : order) {
      CollectiveContender contender = live.contender();
      if (contender.operations().contains(turn.operation())) {
        times.add(contender.peer(), contender.ranks(), live.ranks().ask(turn.line()));
      }
    }
  }

  /** Whether there is time for another round, if it takes as long as those before. */
  private boolean fits(long firstBegan, int round) {
    long now = System.nanoTime();
    long each = round == 0 ? 0 : (now - firstBegan) / round;
    return now - started + each <= effort.limit().toNanos() || round == 0;
  }

  private List<Turn> turns() {
    List<Turn> turns = new ArrayList<>();
    for (CollectiveOperation operation : CollectiveOperation.values()) {
      // Lateness is the same at every size.
      int count = operation == CollectiveOperation.STRAGGLER ? 1 : SIZES.size();
      for (long bytes : SIZES.subList(0, count)) {
        if (selection.cases().test(operation.code() + " " + bytes)) {
          turns.add(new Turn(operation, bytes, WARM_UP_SECONDS, effort.seconds()));
        }
      }
    }
    return turns;
  }

  private List<CollectiveContender> contenders(BenchFolder scratch) {
    Path folder = scratch.path();
    Path source = scratch.extract(CollectiveBenchmark.class, "collective_mpi.c");
    Path gloo = scratch.extract(CollectiveBenchmark.class, "collective_gloo.py");
    Path openMpi = compile("mpicc.openmpi", source, folder.resolve("openmpi"));
    Path mpich = compile("mpicc.mpich", source, folder.resolve("mpich"));
    Set<CollectiveOperation> all = with(CollectiveOperation.STRAGGLER);
    if (effort.levels()) {
      all.add(CollectiveOperation.FAST);
      all.add(CollectiveOperation.ELASTIC);
    }
    // Those that take longest to come to rest are started first.
    return List.of(
        tandem(4, "tandem-shm", "shm", with(CollectiveOperation.STRAGGLER)),
        tandem(2, "tandem-shm", "shm", all),
        openMpi(2, "openmpi", Map.of(), openMpi, CollectiveOperation.STRAGGLER),
        openMpi(2, "openmpi-tuned", MpiContender.TUNED_MALLOC, openMpi, CollectiveOperation.COPY),
        new MpiContender("mpich", 2, MpiContender.MPICH, Map.of(), mpich, STEPS),
        new GlooContender(2, gloo),
        tandem(2, "tandem-tcp", "tcp", EnumSet.of(CollectiveOperation.ALLREDUCE)),
        openMpi(4, "openmpi", Map.of(), openMpi, CollectiveOperation.STRAGGLER),
        openMpi(4, "openmpi-tuned", MpiContender.TUNED_MALLOC, openMpi, CollectiveOperation.COPY));
  }

  private static Set<CollectiveOperation> with(CollectiveOperation last) {
    Set<CollectiveOperation> operations = EnumSet.copyOf(STEPS);
    operations.add(last);
    return operations;
  }

  private static CollectiveContender openMpi(
      int ranks,
      String name,
      Map<String, String> environment,
      Path program,
      CollectiveOperation last) {
    boolean crowded = ranks > Runtime.getRuntime().availableProcessors();
    return new MpiContender(
        name,
        ranks,
        crowded ? MpiContender.OPEN_MPI_YIELDING : MpiContender.OPEN_MPI,
        environment,
        program,
        with(last));
  }

  private CollectiveContender tandem(
      int ranks, String name, String transport, Set<CollectiveOperation> operations) {
    return new TandemContender(
        name, ranks, Map.of("TANDEM_TRANSPORT", transport), operations, effort.compiling(), SIZES);
  }

  private static Path compile(String compiler, Path source, Path program) {
    Children.run(
        List.of(compiler, "-O3", "-march=native", "-o", program.toString(), source.toString()));
    return program;
  }
}
