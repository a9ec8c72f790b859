package dev.tandem.bench;

import dev.tandem.bench.CollectiveContender.Plan;
import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Collectives by Tandem, Open MPI, MPICH and Gloo: the same steps on the same data, in private
 * memory, fresh for every call. Contenders take turns in fresh processes, round by round, in
 * alternating order.
 */
public final class CollectiveBenchmark {

  /** Sizes that allreduce is measured at. */
  private static final List<Long> SIZES =
      List.of(4L, 1L << 10, 64L << 10, 1L << 20, 16L << 20, 64L << 20);

  private static final List<CollectiveOperation> STEPS =
      List.of(CollectiveOperation.ALLREDUCE, CollectiveOperation.FUSED);

  private static final double PEER_WARM_UP = 0.05;

  private final int rounds;
  private final double seconds;
  private final Progress progress;

  /**
   * Prepares nothing yet.
   *
   * @param rounds of every contender
   * @param seconds that a contender measures each size in a round
   */
  public CollectiveBenchmark(int rounds, double seconds, Progress progress) {
    this.rounds = rounds;
    this.seconds = seconds;
    this.progress = progress;
  }

  /** Runs everything; fails with the package to install if a peer is missing. */
  public List<CollectiveRow> run() {
    Children.require("mpicc.openmpi", "libopenmpi-dev");
    Children.require("mpirun.openmpi", "openmpi-bin");
    Children.require("mpicc.mpich", "libmpich-dev");
    Children.require("mpirun.mpich", "mpich");
    requireGloo();
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    String machine = Machine.describe(temporary);
    CollectiveTimes times = new CollectiveTimes();
    try (BenchFolder scratch = BenchFolder.in(temporary)) {
      List<CollectiveContender> contenders = contenders(scratch);
      long runs = (long) rounds * contenders.size();
      try (Progress.Task task = progress.start("collective", runs, "runs")) {
        long done = 0;
        for (int round = 0; round < rounds; round++) {
          for (CollectiveContender contender : contenders) {
            times.add(contender.peer(), contender.ranks(), contender.run());
            task.advanceTo(++done);
          }
          Collections.reverse(contenders);
        }
      }
    }
    return times.rows(machine);
  }

  private static void requireGloo() {
    try {
      Children.run(List.of(GlooContender.PYTHON, "-c", "import torch.distributed"));
    } catch (WorkFailedException e) {
      throw new WorkFailedException(
          "the benchmark needs Gloo as a peer: install it (Debian: apt-get install python3-torch)",
          e);
    }
  }

  private List<CollectiveContender> contenders(BenchFolder scratch) {
    Path folder = scratch.path();
    Path source = scratch.extract("collective_mpi.c");
    Path gloo = scratch.extract("collective_gloo.py");
    Path openMpi = compile("mpicc.openmpi", source, folder.resolve("openmpi"));
    Path mpich = compile("mpicc.mpich", source, folder.resolve("mpich"));
    List<CollectiveContender> all = new ArrayList<>();
    all.add(openMpi(2, "openmpi", Map.of(), openMpi, CollectiveOperation.STRAGGLER));
    all.add(tandem(2, "tandem-shm", "shm", allLevels(CollectiveOperation.STRAGGLER)));
    all.add(
        openMpi(2, "openmpi-tuned", MpiContender.TUNED_MALLOC, openMpi, CollectiveOperation.COPY));
    all.add(
        new MpiContender(
            "mpich", 2, MpiContender.MPICH, Map.of(), mpich, plan(STEPS, PEER_WARM_UP)));
    all.add(new GlooContender(2, gloo, plan(List.of(CollectiveOperation.ALLREDUCE), PEER_WARM_UP)));
    all.add(tandem(2, "tandem-tcp", "tcp", List.of(CollectiveOperation.ALLREDUCE)));
    all.add(openMpi(4, "openmpi", Map.of(), openMpi, CollectiveOperation.STRAGGLER));
    all.add(
        tandem(
            4,
            "tandem-shm",
            "shm",
            List.of(
                CollectiveOperation.ALLREDUCE,
                CollectiveOperation.FUSED,
                CollectiveOperation.STRAGGLER)));
    all.add(
        openMpi(4, "openmpi-tuned", MpiContender.TUNED_MALLOC, openMpi, CollectiveOperation.COPY));
    return all;
  }

  private static List<CollectiveOperation> allLevels(CollectiveOperation last) {
    return List.of(
        CollectiveOperation.ALLREDUCE,
        CollectiveOperation.FUSED,
        CollectiveOperation.FAST,
        CollectiveOperation.ELASTIC,
        last);
  }

  private CollectiveContender openMpi(
      int ranks,
      String name,
      Map<String, String> environment,
      Path program,
      CollectiveOperation last) {
    boolean crowded = ranks > Runtime.getRuntime().availableProcessors();
    List<CollectiveOperation> operations = new ArrayList<>(STEPS);
    operations.add(last);
    return new MpiContender(
        name,
        ranks,
        crowded ? MpiContender.OPEN_MPI_YIELDING : MpiContender.OPEN_MPI,
        environment,
        program,
        plan(operations, PEER_WARM_UP));
  }

  private CollectiveContender tandem(
      int ranks, String name, String transport, List<CollectiveOperation> operations) {
    // A JVM is warm when its loops are compiled, which takes longer than filling caches.
    return new TandemContender(
        name,
        ranks,
        Map.of("TANDEM_TRANSPORT", transport),
        plan(operations, Math.min(0.6, 5 * seconds)));
  }

  private Plan plan(List<CollectiveOperation> operations, double warmUp) {
    return new Plan(operations, warmUp, seconds, SIZES);
  }

  private static Path compile(String compiler, Path source, Path program) {
    Children.run(
        List.of(compiler, "-O3", "-march=native", "-o", program.toString(), source.toString()));
    return program;
  }
}
