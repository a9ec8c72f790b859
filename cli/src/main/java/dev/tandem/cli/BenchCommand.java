package dev.tandem.cli;

import dev.tandem.core.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** Names the benchmarks, a program of their own that the launcher starts instead of this one. */
@Command(
    name = "bench",
    description = "Measures Tandem against its peers on this machine, in one run.")
final class BenchCommand implements Runnable {

  @Unmatched private String[] arguments;

  @Override
  public void run() {
    throw new UsageException("the benchmarks are a program of their own: start ./tandem bench");
  }
}
