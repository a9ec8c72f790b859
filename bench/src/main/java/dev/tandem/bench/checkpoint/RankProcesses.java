package dev.tandem.bench.checkpoint;

import dev.tandem.bench.Contender;
import dev.tandem.bench.Ranks;
import dev.tandem.comm.TransportKind;
import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.Placement;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Ranks that are processes, started by our launcher; see {@code Note [live contenders]}.
 *
 * @param main the class that each runs; its first argument is the name of its pipe, less the rank
 * @param hosts that the ranks are spread over, if not all are here; borrowed
 */
record RankProcesses(
    String name, int ranks, Class<?> main, List<String> arguments, Optional<TwoHosts> hosts)
    implements Contender {

  @Override
  public void run(Path pipes, Consumer<String> output) {
    List<String> all = new ArrayList<>(List.of(pipes.toString()));
    all.addAll(arguments);
    LaunchPlan plan = LaunchPlan.of(ranks, main.getName(), all);
    if (hosts.isPresent()) {
      // To itself a namespace is the same host as the other, so shared memory would be chosen.
      Map<String, String> overTheNetwork = Map.of(TransportKind.VARIABLE, "tcp");
      Ranks.run(name, plan.withEnvironment(overTheNetwork), hosts.get().placement(ranks), output);
    } else {
      Ranks.run(name, plan, Placement.here(ranks), output);
    }
  }
}
