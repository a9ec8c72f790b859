package dev.tandem.cli;

import dev.tandem.core.UsageException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.tune.StudySession;
import dev.tandem.tune.export.OptunaExport;
import dev.tandem.tune.export.TrialTable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a study in other formats. */
@Command(
    name = "export",
    description =
        "Writes the trials of a study as CSV, as a journal that Optuna reads, or as a Chrome"
            + " trace.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem tune export runs/study --csv trials.csv",
      "  ./tandem tune export runs/study --optuna optuna.log",
      "  ./tandem tune export runs/study --timeline timeline.json   for ui.perfetto.dev"
    })
final class TuneExportCommand extends TandemCommand {

  @Parameters(paramLabel = "STUDY", description = "Folder of the study, or its name below runs/.")
  private Path given;

  @Option(names = "--csv", paramLabel = "FILE", description = "One row for each trial.")
  private Path csv;

  @Option(
      names = "--optuna",
      paramLabel = "FILE",
      description = "A journal for Optuna's JournalStorage.")
  private Path optuna;

  @Option(
      names = "--timeline",
      paramLabel = "FILE",
      description = "What ran where and when, as a Chrome trace.")
  private Path timeline;

  @Override
  protected Object run() {
    StudySession.Reading study = StudySession.Reading.of(StudyPlace.of(given));
    if (csv == null && optuna == null && timeline == null) {
      throw new UsageException("expected --csv FILE, --optuna FILE or --timeline FILE");
    }
    Map<String, String> written = new LinkedHashMap<>();
    if (csv != null) {
      write(csv, TrialTable.csv(study.settings(), study.state()));
      written.put("csv", csv.toString());
    }
    if (optuna != null) {
      write(optuna, OptunaExport.journal(study.settings(), study.state()));
      written.put("optuna", optuna.toString());
    }
    if (timeline != null) {
      write(timeline, StudyTrace.json(study));
      written.put("timeline", timeline.toString());
    }
    written.forEach((format, file) -> out().printf("%20s: %s%n", format, file));
    return written;
  }

  private static void write(Path file, String text) {
    DurableFiles.system()
        .replace(file.toAbsolutePath(), ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }
}
