package dev.tandem.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The benchmarks. */
@Command(
    name = "bench",
    description = "Measures Tandem against its peers on this machine, in one run.",
    mixinStandardHelpOptions = true,
    subcommands = {
      BenchLmdbCommand.class,
      BenchReadCommand.class,
      BenchCollectiveCommand.class,
      BenchSyncCommand.class,
      BenchServersCommand.class,
      BenchTrainCommand.class,
      BenchBatchCommand.class,
      BenchCheckpointCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench lmdb --quick",
      "  ./tandem bench read --quick",
      "  ./tandem bench collective --quick",
      "  ./tandem bench sync --quick",
      "  ./tandem bench servers --quick",
      "  ./tandem bench train --quick",
      "  ./tandem bench batch --quick",
      "  ./tandem bench checkpoint --quick"
    })
final class BenchCommand implements Runnable {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }
}
