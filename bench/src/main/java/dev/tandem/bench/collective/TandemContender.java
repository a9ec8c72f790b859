package dev.tandem.bench.collective;

import dev.tandem.bench.Ranks;
import dev.tandem.comm.launch.LaunchPlan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Tandem's ranks, started by its own launcher with the settings that users get.
 *
 * @param compiling seconds that the ranks may take before their first turn
 * @param sizes that the turns will be about
 */
record TandemContender(
    String peer,
    int ranks,
    Map<String, String> environment,
    Set<CollectiveOperation> operations,
    double compiling,
    List<Long> sizes)
    implements CollectiveContender {

  @Override
  public void run(Path pipes, Consumer<String> output) {
    List<String> arguments = new ArrayList<>();
    arguments.add(pipes.toString());
    arguments.add(Double.toString(compiling));
    arguments.add(String.join(",", operations.stream().map(CollectiveOperation::code).toList()));
    sizes.stream().map(Object::toString).forEach(arguments::add);
    LaunchPlan plan =
        LaunchPlan.of(ranks, CollectiveRankMain.class.getName(), arguments)
            .withEnvironment(environment);
    Ranks.run(peer, plan, output);
  }
}
