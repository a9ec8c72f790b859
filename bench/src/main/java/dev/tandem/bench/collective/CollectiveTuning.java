package dev.tandem.bench.collective;

import dev.tandem.bench.Ranks;
import dev.tandem.comm.TransportKind;
import dev.tandem.comm.launch.LaunchPlan;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Measures which algorithm of allreduce is fastest here, in real processes. */
public final class CollectiveTuning {

  private CollectiveTuning() {}

  /** Writes the table for a number of ranks of this machine over a transport. */
  public static void run(int ranks, String transport, Path file) {
    LaunchPlan plan =
        LaunchPlan.of(
                ranks,
                CollectiveTuneMain.class.getName(),
                List.of(file.toAbsolutePath().toString()))
            .withEnvironment(Map.of(TransportKind.VARIABLE, transport));
    Ranks.run("tuning", plan, System.out::println);
  }
}
