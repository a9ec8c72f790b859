package dev.tandem.bench.train;

import dev.tandem.bench.Children;
import dev.tandem.bench.Contender;
import dev.tandem.core.WorkFailedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Debian's PyTorch, alone or as DistributedDataParallel over Gloo; a shell starts the ranks and
 * ends with the first.
 *
 * @param folder with weights and samples
 */
record TorchTrainer(int ranks, Path script, Path folder) implements Contender {

  /** Debian's own, which sees Debian's packages. */
  private static final String PYTHON = "/usr/bin/python3";

  /** Why there is no such peer on this machine, if there is none. */
  static Optional<String> missing() {
    if (!Files.isExecutable(Path.of(PYTHON))) {
      return Optional.of("there is no " + PYTHON);
    }
    try {
      // Importing it would take seconds.
      Children.run(
          List.of(
              PYTHON,
              "-c",
              "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"));
      return Optional.empty();
    } catch (WorkFailedException e) {
      return Optional.of("PyTorch is not installed (Debian: apt-get install python3-torch)");
    }
  }

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
              .formatted(PYTHON, script, rank, ranks, store, pipes, folder));
    }
    Children.follow(List.of("sh", "-c", String.join(" & ", parts)), Map.of(), output);
  }
}
