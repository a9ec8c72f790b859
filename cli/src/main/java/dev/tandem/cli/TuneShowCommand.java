package dev.tandem.cli;

import dev.tandem.core.UsageException;
import dev.tandem.tune.StudySession;
import dev.tandem.tune.importance.Fanova;
import dev.tandem.tune.importance.Importance;
import dev.tandem.tune.importance.PedAnova;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.Trial;
import java.nio.file.Path;
import java.util.List;
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
      "  ./tandem tune show runs/study --report   also writes report.html as of now",
      "  ./tandem tune show runs/study --importance fanova   what matters anywhere in the space"
    })
final class TuneShowCommand extends TandemCommand {

  @Parameters(paramLabel = "STUDY", description = "Folder of the study, or its name below runs/.")
  private Path given;

  @Option(names = "--report", description = "Write report.html into the study's folder.")
  private boolean writes;

  @Option(
      names = "--importance",
      paramLabel = "METHOD",
      description =
          "Also show how much each parameter matters: ped-anova (for the best trials, as in the"
              + " report) or fanova (anywhere in the space).")
  private String importance;

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
    if (importance != null) {
      List<Importance> found = importance(study);
      out().printf("%n%24s  %6s  %6s%n", "importance (" + importance + ")", "share", "trials");
      found.forEach(
          each ->
              out().printf("%24s  %6.3f  %6d%n", each.parameter(), each.share(), each.trials()));
    }
    if (writes) {
      out().printf("%nreport: %s%n", ReportFile.ofStudy(folder));
    }
    return text.results(folder, reason);
  }

  private List<Importance> importance(StudySession.Reading study) {
    Space space = study.settings().space();
    List<Trial> trials = study.state().trials();
    return switch (importance) {
      case "ped-anova" -> PedAnova.of(space, study.settings().direction(), trials);
      case "fanova" -> Fanova.of(space, trials, study.settings().seed());
      default ->
          throw new UsageException(
              "--importance is '%s', expected ped-anova or fanova".formatted(importance));
    };
  }
}
