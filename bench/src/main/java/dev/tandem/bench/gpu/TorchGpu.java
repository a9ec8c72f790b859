package dev.tandem.bench.gpu;

import dev.tandem.bench.Children;
import dev.tandem.bench.Contender;
import dev.tandem.core.WorkFailedException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The PyTorch of the machine's own python3.
 *
 * @param folder with parameters and batches
 */
record TorchGpu(Path script, Path folder, String device) implements Contender {

  private static final String PYTHON = "python3";

  /** Why it cannot take part, if it cannot. */
  static Optional<String> missing() {
    try {
      Children.run(
          List.of(PYTHON, "-c", "import sys, torch; sys.exit(not torch.cuda.is_available())"));
      return Optional.empty();
    } catch (WorkFailedException | UncheckedIOException e) {
      return Optional.of("the python3 of this machine has no PyTorch that sees a GPU");
    }
  }

  @Override
  public String name() {
    return "torch";
  }

  @Override
  public int ranks() {
    return 1;
  }

  @Override
  public void run(Path pipes, Consumer<String> output) {
    Children.follow(
        List.of(PYTHON, script.toString(), pipes + "0", folder.toString(), device),
        Map.of(),
        output);
  }
}
