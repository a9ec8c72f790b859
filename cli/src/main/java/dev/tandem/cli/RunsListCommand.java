package dev.tandem.cli;

import dev.tandem.board.RunInfo;
import dev.tandem.board.RunReport;
import dev.tandem.board.RunSummary;
import dev.tandem.core.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Lists runs. */
@Command(
    name = "ls",
    description = {
      "Lists the runs in a folder, the newest first: state, steps, loss of the last step, accuracy"
          + " of the last validation. A run is lost if it should be running and no process works on"
          + " it; of a run of an older version without a result the state is unknown."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  ./tandem runs ls", "  ./tandem runs ls runs --json runs.json"})
final class RunsListCommand extends TandemCommand {

  private static final DateTimeFormatter MINUTE =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT).withZone(ZoneId.systemDefault());

  @Parameters(
      paramLabel = "DIR",
      arity = "0..1",
      defaultValue = "runs",
      description = "Folder of the runs. Default: ${DEFAULT-VALUE}")
  private Path folder;

  @Override
  protected Object run() {
    if (!Files.isDirectory(folder)) {
      throw new UsageException(
          "no such folder: " + folder + "; ./tandem train makes runs in runs/ or in --runs DIR");
    }
    List<RunSummary> runs = RunInfo.below(folder).stream().map(RunSummary::of).toList();
    if (runs.isEmpty()) {
      out().println("no runs in " + folder);
      return runs;
    }
    int width = Math.max(4, runs.stream().mapToInt(run -> run.name().length()).max().orElse(0));
    out()
        .printf(
            "%-8s  %-" + width + "s  %-16s  %5s  %15s  %9s  %8s  %8s  %s%n",
            "state",
            "name",
            "began",
            "ranks",
            "steps",
            "loss",
            "accuracy",
            "images/s",
            "duration");
    for (RunSummary run : runs) {
      out()
          .printf(
              "%-8s  %-" + width + "s  %-16s  %5s  %15s  %9s  %8s  %8s  %s%n",
              run.state(),
              run.name(),
              MINUTE.format(Instant.parse(run.began())),
              run.ranks() == 0 ? "" : run.ranks(),
              steps(run),
              number("%.4f", 1, run.loss()),
              number("%.2f%%", 100, run.accuracy()),
              number("%,.0f", 1, run.imagesPerSecond()),
              RunReport.duration(run.seconds()));
    }
    return runs;
  }

  private static String steps(RunSummary run) {
    return run.totalSteps() == 0
        ? "%,d".formatted(run.step())
        : "%,d/%,d".formatted(run.step(), run.totalSteps());
  }

  private static String number(String format, double factor, Double number) {
    return number == null ? "" : String.format(Locale.ROOT, format, factor * number);
  }
}
