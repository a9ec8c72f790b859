package dev.tandem.bench.collective;

import dev.tandem.bench.Children;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Processes that mpirun starts. */
record MpiContender(
    String peer,
    int ranks,
    List<String> launcher,
    Map<String, String> environment,
    Path program,
    Set<CollectiveOperation> operations)
    implements CollectiveContender {

  /** Open MPI as it comes. */
  static final List<String> OPEN_MPI =
      List.of("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe");

  /** As it should be set when ranks share processors. */
  static final List<String> OPEN_MPI_YIELDING =
      List.of(
          "mpirun.openmpi",
          "--allow-run-as-root",
          "--oversubscribe",
          "--bind-to",
          "none",
          "--mca",
          "mpi_yield_when_idle",
          "1");

  static final List<String> MPICH = List.of("mpirun.mpich");

  /** Temporaries stay in the process: without this 64 MiB take twice as long. */
  static final Map<String, String> TUNED_MALLOC =
      Map.of(
          "MALLOC_MMAP_MAX_", "0",
          "MALLOC_TRIM_THRESHOLD_", "4000000000",
          "MALLOC_TOP_PAD_", "268435456");

  @Override
  public void run(Path pipes, Consumer<String> output) {
    List<String> command = new ArrayList<>(launcher);
    command.addAll(List.of("-n", Integer.toString(ranks), program.toString(), pipes.toString()));
    Children.follow(command, environment, output);
  }
}
