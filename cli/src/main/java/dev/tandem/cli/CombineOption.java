package dev.tandem.cli;

import dev.tandem.core.UsageException;
import dev.tandem.ensemble.combine.CombineMethod;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** How the answers of an ensemble's members become one. */
final class CombineOption {

  @Option(
      names = "--combine",
      paramLabel = "METHOD",
      description =
          "How the answers of an ensemble's members become one: average, weighted-accuracy,"
              + " weighted-loss, majority or stacking. What is fitted comes from the last ./tandem"
              + " eval of the ensemble, or is fitted to its test set first. Default: average")
  private String method;

  CombineMethod method() {
    return method == null ? CombineMethod.AVERAGE : CombineMethod.of(method);
  }

  /** A single run has nothing to combine. */
  void refuse(Path run) {
    if (method != null) {
      var _ = method(); // a word that it does not know comes first
      throw new UsageException(
          "--combine is for ensembles, and %s is a single run: name the ensemble's folder, or"
                  .formatted(run)
              + " several runs with commas between them");
    }
  }
}
