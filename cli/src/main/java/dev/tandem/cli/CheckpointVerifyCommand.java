package dev.tandem.cli;

import dev.tandem.core.ExitCode;
import dev.tandem.core.WorkFailedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looks for damage. */
@Command(
    name = "verify",
    description = {
      "Reads every byte of the checkpoints of a run and compares all checksums. One line per"
          + " problem; exit code 1 if there are any."
    },
    footerHeading = "%nExample:%n",
    footer = "  ./tandem checkpoint verify runs/demo")
final class CheckpointVerifyCommand extends TandemCommand {

  @Parameters(paramLabel = "RUN", description = "Folder of the run, or of its checkpoints.")
  private Path run;

  @Option(
      names = "--step",
      paramLabel = "N",
      description = "Only the checkpoint of this step. Default: all")
  private Long step;

  /** What {@code --json} gets: the steps that were read and what is wrong with them. */
  record Results(String folder, List<Long> sound, List<Long> damaged, List<String> problems) {}

  @Override
  protected Object run() {
    CheckpointFolder folder = CheckpointFolder.of(run);
    List<Long> sound = new ArrayList<>();
    List<Long> damaged = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (long each : step != null ? List.of(step) : folder.steps()) {
      List<String> found = problems(folder, each);
      (found.isEmpty() ? sound : damaged).add(each);
      problems.addAll(found);
      found.forEach(problem -> err().println("tandem: " + problem));
      if (found.isEmpty()) {
        out().printf("step %d: no problem found%n", each);
      }
    }
    return new Results(folder.store().toString(), sound, damaged, problems);
  }

  private static List<String> problems(CheckpointFolder folder, long step) {
    try {
      return folder.open(step).problems();
    } catch (WorkFailedException e) {
      return List.of(e.getMessage());
    }
  }

  @Override
  protected ExitCode exitCode(Object results) {
    return ((Results) results).damaged.isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
  }
}
