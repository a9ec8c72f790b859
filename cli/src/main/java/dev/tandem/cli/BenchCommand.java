package dev.tandem.cli;

import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** Names the benchmarks, a program of their own that the launcher starts instead of this one. */
@Command(
    name = "bench",
    description = "Measures Tandem against its peers on this machine, in one run.")
final class BenchCommand implements Runnable {

  @Unmatched private List<String> arguments = new ArrayList<>();

  @Override
  public void run() {
    throw new UsageException(
        ("the benchmarks are a program of their own: start ./tandem bench "
                + String.join(" ", arguments))
            .strip());
  }
}
