package dev.tandem.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The simulators. */
@Command(
    name = "simulate",
    description =
        "Projects results to more processes than this machine has. Results say \"simulated\".",
    mixinStandardHelpOptions = true,
    subcommands = {SimulateReadCommand.class, SimulateSyncCommand.class},
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExample:%n",
    footer = {
      "  ./tandem simulate read --processes 36,1152,9216",
      "  ./tandem simulate sync --network all"
    })
final class SimulateCommand implements Runnable {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }
}
