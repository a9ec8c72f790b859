package dev.tandem.bench.train;

import dev.tandem.bench.Contender;
import dev.tandem.bench.Ranks;
import dev.tandem.comm.launch.LaunchPlan;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Tandem's ranks, started by its own launcher, with gradients in shared memory.
 *
 * @param folder for weights and samples
 */
record TandemTrainer(int ranks, Path folder) implements Contender {

  @Override
  public String name() {
    return "tandem";
  }

  @Override
  public void run(Path pipes, Consumer<String> output) {
    List<String> arguments = List.of(pipes.toString(), folder.toString());
    LaunchPlan plan =
        LaunchPlan.of(ranks, TrainRankMain.class.getName(), arguments)
            .withEnvironment(Map.of("TANDEM_TRANSPORT", "shm"));
    Ranks.run(name(), plan, output);
  }
}
