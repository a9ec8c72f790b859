package dev.tandem.bench.sync;

import dev.tandem.bench.Machine;
import dev.tandem.bench.Ranks;
import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.core.Progress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
    try (Progress.Task task = progress.start("sync", effort.lines(), "turns")) {
      LaunchPlan usual = LaunchPlan.of(RANKS, SyncRankMain.class.getName(), effort.arguments());
      List<String> flags = new ArrayList<>(usual.jvmFlags());
      flags.addAll(effort.jvmFlags());
      Ranks.run(
          "the benchmark of synchronisation",
          usual.withJvmFlags(flags),
          line -> {
            times.add(line);
            task.advanceTo(times.count());
          });
    }
    return times.rows(machine);
  }

  /** What was found out about the parameters that all policies lead to. */
  public Optional<String> parameters() {
    return times.same();
  }
}
