package dev.tandem.bench;

import dev.tandem.core.WorkFailedException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/** Debian's PyTorch, a peer of several benchmarks. */
public final class DebianTorch {

  /** Debian's own Python, which sees Debian's packages. */
  public static final String PYTHON = "/usr/bin/python3";

  private DebianTorch() {}

  /** Why it is not there, if it is not; importing it would take seconds. */
  public static Optional<String> missing() {
    try {
      Children.run(
          List.of(
              PYTHON,
              "-c",
              "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"));
      return Optional.empty();
    } catch (WorkFailedException | UncheckedIOException e) {
      return Optional.of("PyTorch is not installed (Debian: apt-get install python3-torch)");
    }
  }
}
