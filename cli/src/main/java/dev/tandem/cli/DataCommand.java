package dev.tandem.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The commands about data sets. */
@Command(
    name = "data",
    description = "Makes, fills, checks, prints and loads databases of training data (LMDB).",
    mixinStandardHelpOptions = true,
    subcommands = {
      DataMakeCommand.class,
      DataImportCommand.class,
      DataIndexCommand.class,
      DataReadCommand.class,
      DataStageCommand.class,
      DataStatCommand.class,
      DataVerifyCommand.class,
      DataScanCommand.class,
      DataDumpCommand.class,
      DataLoadCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem data import photos photos.db   a folder of images, a subfolder per class",
      "  ./tandem data index photos.db           prepare it for random access",
      "  ./tandem data stat photos.db            contents and layout",
      "  ./tandem data scan photos.db            loading speed and bottleneck"
    })
final class DataCommand implements Runnable {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }
}
