package dev.tandem.cli;

import dev.tandem.tune.StudySession;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows a study. */
@Command(
    name = "show",
    description = "Shows the trials of a study, also while it runs.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem tune show runs/study --json trials.json",
      "  ./tandem tune show runs/study --report   also writes report.html as of now"
    })
final class TuneShowCommand extends TandemCommand {

  @Parameters(paramLabel = "STUDY", description = "Folder of the study, or its name below runs/.")
  private Path given;

  @Option(names = "--report", description = "Write report.html into the study's folder.")
  private boolean writes;

  @Override
  protected Object run() {
    Path folder = StudyPlace.of(given);
    StudySession.Reading study = StudySession.Reading.of(folder);
    StudyText text = new StudyText(study.settings(), study.state());
    text.printTrials(out());
    String reason = study.state().stopped().map(stop -> stop.reason()).orElse("");
    study
        .state()
        .best()
        .ifPresent(
            best ->
                out()
                    .printf(
                        "%nbest %s: %.6g in trial %d: %s%n",
                        study.settings().metric(), best.value(), best.number(), best.parameters()));
    if (writes) {
      out().printf("%nreport: %s%n", ReportFile.ofStudy(folder));
    }
    return text.results(folder, reason);
  }
}
