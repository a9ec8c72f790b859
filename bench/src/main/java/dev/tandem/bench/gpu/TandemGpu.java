package dev.tandem.bench.gpu;

import dev.tandem.bench.Contender;
import dev.tandem.bench.Ranks;
import dev.tandem.comm.launch.LaunchPlan;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Tandem's ranks on one GPU, started by its own launcher.
 *
 * @param folder for parameters and batches
 */
record TandemGpu(int ranks, Path folder, String device) implements Contender {

  @Override
  public String name() {
    return "tandem";
  }

  @Override
  public void run(Path pipes, Consumer<String> output) {
    List<String> arguments = List.of(pipes.toString(), folder.toString(), device);
    Ranks.run(name(), LaunchPlan.of(ranks, GpuTrainMain.class.getName(), arguments), output);
  }
}
