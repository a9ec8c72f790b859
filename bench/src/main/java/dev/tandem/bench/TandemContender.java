package dev.tandem.bench;

import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.LaunchResult;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.comm.launch.RankOutput;
import dev.tandem.core.WorkFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Tandem's ranks, started by its own launcher with the settings that users get. */
record TandemContender(String peer, int ranks, Map<String, String> environment, Plan plan)
    implements CollectiveContender {

  @Override
  public String run() {
    List<String> arguments = new ArrayList<>();
    arguments.add(plan.operationCodes());
    arguments.add(Double.toString(plan.warmUp()));
    arguments.add(Double.toString(plan.seconds()));
    plan.sizes().stream().map(Object::toString).forEach(arguments::add);
    Collected collected = new Collected();
    LaunchResult result =
        new ProcessLauncher(
                LaunchPlan.of(ranks, CollectiveRankMain.class.getName(), arguments)
                    .withEnvironment(environment),
                collected,
                collected.errors::add)
            .run();
    if (result.exitCode() != 0) {
      throw new WorkFailedException(
          "%s: %s: %s".formatted(peer, result.summary(), String.join("; ", collected.errors)));
    }
    return String.join("\n", collected.lines);
  }

  private static final class Collected implements RankOutput {

    private final List<String> lines = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();

    @Override
    public synchronized void line(int rank, Source source, String text) {
      switch (source) {
        case OUT -> lines.add(text);
        case ERROR -> errors.add(text);
      }
    }
  }
}
