package dev.tandem.bench.collective;

import dev.tandem.comm.TransportKind;
import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.LaunchResult;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.comm.launch.RankOutput;
import dev.tandem.core.WorkFailedException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Measures which algorithm of allreduce is fastest here, in real processes. */
public final class CollectiveTuning {

  private CollectiveTuning() {}

  /** Writes the table for so many ranks of this machine over a transport, as it is named there. */
  public static void run(int ranks, String transport, Path file) {
    LaunchPlan plan =
        LaunchPlan.of(
                ranks,
                CollectiveTuneMain.class.getName(),
                List.of(file.toAbsolutePath().toString()))
            .withEnvironment(Map.of(TransportKind.VARIABLE, transport));
    LaunchResult result =
        new ProcessLauncher(plan, RankOutput.prefixed(System.out, System.err), System.err::println)
            .run();
    if (result.exitCode() != 0) {
      throw new WorkFailedException("tuning failed: " + result.summary());
    }
  }
}
