package dev.tandem.bench.sync;

import dev.tandem.bench.Machine;
import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.LaunchResult;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.comm.launch.RankOutput;
import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The same training under every policy of synchronisation; see {@code Note [one core a rank]}. */
public final class SyncBenchmark {

  private static final int RANKS = 2;

  private final SyncEffort effort;
  private final Progress progress;
  private final SyncTimes times = new SyncTimes();

  /** Prepares nothing yet. */
  public SyncBenchmark(SyncEffort effort, Progress progress) {
    this.effort = effort;
    this.progress = progress;
  }

  /** Runs everything. */
  public List<SyncRow> run() {
    String machine = Machine.describe(Path.of(System.getProperty("java.io.tmpdir")));
    ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
    try (Progress.Task task = progress.start("sync", effort.lines(), "turns")) {
      RankOutput sink =
          (rank, source, text) -> {
            switch (source) {
              case OUT -> {
                times.add(text);
                task.advanceTo(times.count());
              }
              case ERROR -> errors.add(text);
            }
          };
      LaunchPlan usual = LaunchPlan.of(RANKS, SyncRankMain.class.getName(), effort.arguments());
      List<String> flags = new ArrayList<>(usual.jvmFlags());
      flags.addAll(effort.jvmFlags());
      LaunchPlan plan = usual.withJvmFlags(flags);
      LaunchResult result = new ProcessLauncher(plan, sink, errors::add).run();
      if (result.exitCode() != 0) {
        throw new WorkFailedException(
            "the benchmark of synchronisation failed: %s: %s"
                .formatted(result.summary(), String.join("; ", errors)));
      }
    }
    return times.rows(machine);
  }

  /** What was found out about the parameters that all policies lead to. */
  public Optional<String> parameters() {
    return times.same();
  }
}
