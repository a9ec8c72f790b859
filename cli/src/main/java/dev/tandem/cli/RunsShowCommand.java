package dev.tandem.cli;

import dev.tandem.board.EnsembleReport;
import dev.tandem.board.Report;
import dev.tandem.board.RunInfo;
import dev.tandem.board.RunReport;
import dev.tandem.board.RunSummary;
import dev.tandem.board.StudyReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows a run. */
@Command(
    name = "show",
    description = {
      "Shows one run, also while it trains: what it is, how far it is, and the tables of its"
          + " report. For the folder of an ensemble: its members, and how their samples were"
          + " prepared. For that of a study: its best trial."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem runs show runs/demo",
      "  ./tandem runs show runs/demo --report   also writes report.html as of now",
      "  ./tandem runs show runs/ensemble --report",
      "  ./tandem runs show runs/study --report"
    })
final class RunsShowCommand extends TandemCommand {

  private static final int MOST_ROWS = 20;

  @Parameters(paramLabel = "RUN", description = "Folder of the run, or its name below runs/.")
  private Path given;

  @Option(names = "--report", description = "Write report.html into the run's folder.")
  private boolean writes;

  /** What {@code --json} gets. */
  record Results(RunSummary summary, Map<String, String> facts, List<Report.Table> tables) {}

  /** What {@code --json} gets of an ensemble. */
  record EnsembleResults(Map<String, String> facts, List<Report.Table> tables) {}

  @Override
  protected Object run() {
    Optional<Path> ensemble = folder(EnsembleReport::in);
    if (ensemble.isPresent()) {
      return ensemble(ensemble.get());
    }
    Optional<Path> study = folder(StudyReport::in);
    if (study.isPresent()) {
      return study(study.get());
    }
    RunInfo run = RunsCommand.run(given);
    Report report = RunReport.of(run.path());
    Map<String, String> facts = new LinkedHashMap<>();
    report.facts().forEach(fact -> facts.put(fact.name(), fact.value()));
    facts.put("folder", run.path().toString());
    facts.forEach((name, value) -> out().printf("%20s: %s%n", name, value));
    report.tables().forEach(this::print);
    if (writes) {
      out().printf("%n%20s: %s%n", "report", ReportFile.write(run.path()));
    }
    return new Results(RunSummary.of(run), facts, report.tables());
  }

  /** The folder of what was named, as runs are, if it is of this kind. */
  private Optional<Path> folder(Predicate<Path> kind) {
    boolean named = !given.isAbsolute() && given.getNameCount() == 1;
    return Stream.of(given, named ? RunsCommand.RUNS.resolve(given) : given)
        .filter(kind)
        .findFirst();
  }

  private Map<String, String> study(Path folder) {
    Map<String, String> facts = new LinkedHashMap<>();
    StudyReport.facts(folder).forEach(fact -> facts.put(fact.name(), fact.value()));
    facts.forEach((name, value) -> out().printf("%20s: %s%n", name, value));
    if (writes) {
      out().printf("%n%20s: %s%n", "report", ReportFile.ofStudy(folder));
    }
    return facts;
  }

  private EnsembleResults ensemble(Path folder) {
    Report report = EnsembleReport.of(folder);
    Map<String, String> facts = new LinkedHashMap<>();
    report.facts().forEach(fact -> facts.put(fact.name(), fact.value()));
    facts.forEach((name, value) -> out().printf("%20s: %s%n", name, value));
    report.tables().forEach(this::print);
    if (writes) {
      out().printf("%n%20s: %s%n", "report", ReportFile.ofEnsemble(folder));
    }
    return new EnsembleResults(facts, report.tables());
  }

  private void print(Report.Table table) {
    out().printf("%n%s%s%n", table.title(), table.note().isEmpty() ? "" : ": " + table.note());
    List<List<String>> rows = new ArrayList<>(List.of(table.columns()));
    table.rows().stream().limit(MOST_ROWS).forEach(row -> rows.add(texts(row)));
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.size(); i++) {
        int column = i;
        int width = rows.stream().mapToInt(each -> each.get(column).length()).max().orElse(0);
        boolean number =
            !table.rows().isEmpty() && table.rows().getFirst().get(i) instanceof Number;
        line.append("  ").append(("%" + (number ? "" : "-") + width + "s").formatted(row.get(i)));
      }
      out().println(line.toString().stripTrailing());
    }
    if (table.rows().size() > MOST_ROWS) {
      out().printf("  and %,d more rows, in report.html%n", table.rows().size() - MOST_ROWS);
    }
  }

  private static List<String> texts(List<Object> row) {
    return row.stream()
        .map(
            cell ->
                cell instanceof Double number
                    ? String.format(Locale.ROOT, "%,.2f", number)
                    : cell.toString())
        .toList();
  }
}
