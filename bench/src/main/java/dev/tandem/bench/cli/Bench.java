package dev.tandem.bench.cli;

import dev.tandem.cli.Tandem;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The program of the benchmarks, which {@code ./tandem bench} starts; see {@link #main}. */
@Command(
    name = "tandem bench",
    description = "Measures Tandem against its peers on this machine, in one run.",
    mixinStandardHelpOptions = true,
    versionProvider = Tandem.Version.class,
    subcommands = {
      BenchLmdbCommand.class,
      BenchReadCommand.class,
      BenchCollectiveCommand.class,
      BenchSyncCommand.class,
      BenchServersCommand.class,
      BenchEnsembleCommand.class,
      BenchTrainCommand.class,
      BenchStrategiesCommand.class,
      BenchOracleCommand.class,
      BenchBatchCommand.class,
      BenchCheckpointCommand.class,
      BenchTuneCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench lmdb --quick",
      "  ./tandem bench read --quick",
      "  ./tandem bench collective --quick",
      "  ./tandem bench sync --quick",
      "  ./tandem bench servers --quick",
      "  ./tandem bench ensemble --quick",
      "  ./tandem bench train --quick",
      "  ./tandem bench strategies --quick",
      "  ./tandem bench oracle --quick",
      "  ./tandem bench batch --quick",
      "  ./tandem bench checkpoint --quick",
      "  ./tandem bench tune --quick"
    })
public final class Bench implements Runnable {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  private Bench() {}

  /** Runs one benchmark and exits with its code. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return Tandem.configured(new CommandLine(new Bench()));
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }
}
