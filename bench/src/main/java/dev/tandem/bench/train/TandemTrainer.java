package dev.tandem.bench.train;

import dev.tandem.bench.Contender;
import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.LaunchResult;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.comm.launch.RankOutput;
import dev.tandem.core.WorkFailedException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
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
    ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
    RankOutput sink =
        (rank, source, text) -> {
          switch (source) {
            case OUT -> output.accept(text);
            case ERROR -> errors.add(text);
          }
        };
    List<String> arguments = List.of(pipes.toString(), folder.toString());
    LaunchResult result =
        new ProcessLauncher(
                LaunchPlan.of(ranks, TrainRankMain.class.getName(), arguments)
                    .withEnvironment(Map.of("TANDEM_TRANSPORT", "shm")),
                sink,
                errors::add)
            .run();
    if (result.exitCode() != 0) {
      throw new WorkFailedException(
          "tandem: %s: %s".formatted(result.summary(), String.join("; ", errors)));
    }
  }
}
