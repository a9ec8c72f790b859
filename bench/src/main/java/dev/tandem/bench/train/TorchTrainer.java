package dev.tandem.bench.train;

import dev.tandem.bench.Children;
import dev.tandem.bench.Contender;
import dev.tandem.bench.DebianTorch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Debian's PyTorch, alone or as DistributedDataParallel over Gloo; a shell starts the ranks and
 * ends with the first.
 *
 * @param folder with weights and samples
 */
record TorchTrainer(int ranks, Path script, Path folder) implements Contender {

  @Override
  public String name() {
    return "torch";
  }

  @Override
  public void run(Path pipes, Consumer<String> output) {
    Path store = folder.resolve("gloo-store-" + ranks);
    List<String> parts = new ArrayList<>();
    for (int rank = ranks - 1; rank >= 0; rank--) {
      parts.add(
          "%s '%s' %d %d '%s' '%s' '%s'"
              .formatted(DebianTorch.PYTHON, script, rank, ranks, store, pipes, folder));
    }
    Children.follow(List.of("sh", "-c", String.join(" & ", parts)), Map.of(), output);
  }
}
