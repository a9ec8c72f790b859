package dev.tandem.cli;

import dev.tandem.board.Report;
import dev.tandem.oracle.sync.SimulatedSync;
import dev.tandem.oracle.sync.SyncParameters;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Draws simulated synchronisation: rates and gains over the ranks, for each network. */
final class SyncCharts {

  private static final String DOUBLINGS = "doublings of the ranks: 0 is 1 rank, 10 are 1,024";

  private SyncCharts() {}

  static Report report(List<SimulatedSync> rows, SyncParameters parameters) {
    List<Report.Chart> charts = new ArrayList<>();
    grouped(rows, row -> row.network() + ", " + row.scaling() + " scaling")
        .forEach(
            (name, own) -> {
              charts.add(
                  chart(
                      own, name + ": rate", "samples per second", SimulatedSync::samplesPerSecond));
              charts.add(
                  chart(
                      own,
                      name + ": gain over the baseline",
                      "percent",
                      SimulatedSync::gainPercent));
            });
    return new Report(
        "Simulated gradient synchronisation",
        List.of(
            new Report.Fact("simulated", "yes: nothing on this page was measured"),
            new Report.Fact("parameters", parameters.origin())),
        charts);
  }

  private static Report.Chart chart(
      List<SimulatedSync> rows,
      String title,
      String vertical,
      ToDoubleFunction<SimulatedSync> value) {
    List<Report.Series> series = new ArrayList<>();
    grouped(rows, SimulatedSync::policy)
        .forEach(
            (policy, own) ->
                series.add(
                    Report.Series.of(
                        policy,
                        DOUBLINGS,
                        own.stream().<Number>map(SyncCharts::doublings).toList(),
                        own.stream().map(row -> (float) value.applyAsDouble(row)).toList())));
    return new Report.Chart("Simulated: " + title, vertical, false, series);
  }

  private static float doublings(SimulatedSync row) {
    return (float) (Math.log(row.ranks()) / Math.log(2));
  }

  private static Map<String, List<SimulatedSync>> grouped(
      List<SimulatedSync> rows, Function<SimulatedSync, String> key) {
    return rows.stream()
        .collect(Collectors.groupingBy(key, LinkedHashMap::new, Collectors.toList()));
  }
}
