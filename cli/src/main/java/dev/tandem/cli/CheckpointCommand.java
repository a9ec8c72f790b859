package dev.tandem.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The commands about checkpoints. */
@Command(
    name = "checkpoint",
    description = "Lists, shows, checks, exports and imports the checkpoints of a run.",
    mixinStandardHelpOptions = true,
    subcommands = {
      CheckpointListCommand.class,
      CheckpointShowCommand.class,
      CheckpointVerifyCommand.class,
      CheckpointExportCommand.class,
      CheckpointImportCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem checkpoint ls runs/demo                  list them",
      "  ./tandem checkpoint show runs/demo                contents of the newest",
      "  ./tandem checkpoint verify runs/demo              check all of them",
      "  ./tandem checkpoint export runs/demo w.safetensors  weights for Python",
      "  ./tandem checkpoint import w.npz runs/new         weights from Python"
    })
final class CheckpointCommand implements Runnable {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }
}
