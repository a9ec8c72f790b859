package dev.tandem.cli;

import dev.tandem.board.RunInfo;
import dev.tandem.core.UsageException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The commands about runs. */
@Command(
    name = "runs",
    description = "Lists, shows, exports and removes runs of training.",
    mixinStandardHelpOptions = true,
    subcommands = {
      RunsListCommand.class,
      RunsShowCommand.class,
      RunsExportCommand.class,
      RunsRemoveCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem runs ls                          all runs below runs/",
      "  ./tandem runs show runs/demo              facts, last numbers, files",
      "  ./tandem runs export runs/demo --csv      steps and validations as CSV",
      "  ./tandem runs rm runs/demo --yes          removes the folder"
    })
final class RunsCommand implements Runnable {

  /** Where runs are unless one says otherwise. */
  static final Path RUNS = Path.of("runs");

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  /** The run that was named: by its folder, or by its name below {@code runs}. */
  static RunInfo run(Path given) {
    Optional<RunInfo> run = RunInfo.of(given);
    if (run.isEmpty() && !given.isAbsolute() && given.getNameCount() == 1) {
      run = RunInfo.of(RUNS.resolve(given));
    }
    return run.orElseThrow(
        () ->
            new UsageException(
                given + " is not the folder of a run; ./tandem runs ls lists those below runs/"));
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }
}
