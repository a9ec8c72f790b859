package dev.tandem.bench.ensemble;

import dev.tandem.board.Report;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The results as a page: what each pipeline can deliver, and what it costs beside all-shared. */
public final class EnsemblePlots {

  private static final String MEMBERS = "members";

  private EnsemblePlots() {}

  /** The page. */
  public static Report of(List<EnsembleRow> rows) {
    List<Report.Chart> charts = new ArrayList<>();
    List<EnsembleRow> peaks = rows.stream().filter(row -> row.study().equals("peak")).toList();
    if (!peaks.isEmpty()) {
      charts.add(
          new Report.Chart(
              "peak(n): images that each member can get with 0.4 cores of its own",
              "images per second",
              false,
              series(peaks, EnsembleRow::pipeline, EnsembleRow::peakImagesPerSecond)));
    }
    List<EnsembleRow> costs = rows.stream().filter(row -> row.study().equals("cost")).toList();
    charts.add(
        new Report.Chart(
            "Processor time of preparation and delivery",
            "times that of all-shared",
            false,
            series(
                costs.stream().filter(row -> !row.pipeline().equals("all-shared")).toList(),
                row -> row.pipeline() + ", " + row.consumer(),
                row -> row.cpuSecondsPer1000() / shared(costs, row))));
    return new Report(
        "Tandem: pipelines of ensembles",
        List.of(new Report.Fact("machine", rows.getFirst().machine())),
        charts);
  }

  private static double shared(List<EnsembleRow> rows, EnsembleRow beside) {
    return rows.stream()
        .filter(
            row ->
                row.pipeline().equals("all-shared")
                    && row.members() == beside.members()
                    && row.consumer().equals(beside.consumer()))
        .mapToDouble(EnsembleRow::cpuSecondsPer1000)
        .findFirst()
        .orElse(Double.NaN);
  }

  private static List<Report.Series> series(
      List<EnsembleRow> rows,
      Function<EnsembleRow, String> name,
      Function<EnsembleRow, Double> value) {
    Map<String, List<Number>> x = new LinkedHashMap<>();
    Map<String, List<Float>> y = new LinkedHashMap<>();
    for (EnsembleRow row : rows) {
      x.computeIfAbsent(name.apply(row), _ -> new ArrayList<>()).add(row.members());
      y.computeIfAbsent(name.apply(row), _ -> new ArrayList<>()).add(value.apply(row).floatValue());
    }
    List<Report.Series> all = new ArrayList<>();
    x.forEach((each, places) -> all.add(Report.Series.of(each, MEMBERS, places, y.get(each))));
    return all;
  }
}
