package dev.tandem.cli;

import dev.tandem.core.ExitCode;
import dev.tandem.posix.DurableFiles;
import dev.tandem.tune.journal.JournalCheck;
import dev.tandem.tune.journal.JournalFile;
import dev.tandem.tune.journal.StudyLock;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looks whether a study's journal is whole. */
@Command(
    name = "verify",
    description = "Reads the journal of a study and says whether all of it is whole.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem tune verify runs/study",
      "  ./tandem tune verify runs/study --repair   keeps the damaged file beside the new one"
    })
final class TuneVerifyCommand extends TandemCommand {

  @Parameters(paramLabel = "STUDY", description = "Folder of the study, or its name below runs/.")
  private Path given;

  @Option(
      names = "--repair",
      description = "Write the whole records of a damaged journal to a new file.")
  private boolean repair;

  /** What {@code --json} gets. */
  record Results(String journal, JournalCheck found, boolean repaired) {}

  @Override
  protected Object run() {
    Path folder = StudyPlace.of(given);
    Path journal = folder.resolve(JournalFile.NAME);
    JournalCheck check = JournalCheck.of(DurableFiles.system(), journal);
    if (!check.damaged()) {
      out()
          .printf(
              "%s: %,d records are whole%s%n",
              journal,
              check.records(),
              check.behind() ? "; what follows was never acknowledged" : "");
      return new Results(journal.toString(), check, false);
    }
    out()
        .printf(
            "%s is damaged at byte %,d, after record %,d; %,d whole records follow%n",
            journal, check.end(), check.records(), check.saved());
    if (repair) {
      try (StudyLock _ = StudyLock.take(folder)) {
        Path kept = JournalCheck.repair(DurableFiles.system(), journal);
        out().printf("repaired; the damaged journal is %s%n", kept);
      }
    }
    return new Results(journal.toString(), check, repair);
  }

  @Override
  protected ExitCode exitCode(Object results) {
    Results found = (Results) results;
    return found.found().damaged() && !found.repaired() ? ExitCode.FAILED : ExitCode.DONE;
  }
}
