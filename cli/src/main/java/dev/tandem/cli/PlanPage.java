package dev.tandem.cli;

import dev.tandem.board.BarChart;
import dev.tandem.board.BarPage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The best ways to train over numbers of devices, as a page of stacked bars. */
final class PlanPage {

  /** Bars for each number of devices. */
  private static final int BEST = 4;

  private PlanPage() {}

  static BarPage of(PlanResults results) {
    List<BarPage.Section> sections = new ArrayList<>();
    List<BarChart.Bar> best = new ArrayList<>();
    List<BarChart.Bar> rates = new ArrayList<>();
    Map<String, List<BarChart.Bar>> kinds = new TreeMap<>();
    List<String> phases =
        List.copyOf(results.plans().getFirst().ways().getFirst().phases().keySet());
    for (PlanResults.Plan plan : results.plans()) {
      String devices = PlanTable.devices(plan.devices());
      plan.ways().stream()
          .filter(way -> way.missingBytes() == 0)
          .limit(BEST)
          .forEach(
              way -> {
                best.add(bar(devices, way.strategy(), way, ""));
                rates.add(
                    new BarChart.Bar(
                        devices,
                        way.strategy(),
                        List.of(plan.batch() / way.iteration()),
                        "",
                        Double.NaN));
              });
      for (PlanResults.Way way : plan.ways()) {
        kinds
            .computeIfAbsent(way.kind(), _ -> new ArrayList<>())
            .add(bar(way.kind(), devices, way, way.missingBytes() > 0 ? "too large" : ""));
      }
    }
    sections.add(
        new BarPage.Section(
            new BarChart("The fastest ways that fit: an iteration", "s", phases, best), List.of()));
    sections.add(
        new BarPage.Section(
            new BarChart("Samples a second", "", List.of("samples a second"), rates), List.of()));
    kinds.forEach(
        (kind, bars) ->
            sections.add(
                new BarPage.Section(
                    new BarChart("%s: an iteration".formatted(kind), "s", phases, bars),
                    List.of())));
    return new BarPage(
        "Ways to train %s on %s".formatted(results.model(), results.machine()),
        lines(results),
        sections);
  }

  private static BarChart.Bar bar(String group, String name, PlanResults.Way way, String label) {
    return new BarChart.Bar(group, name, List.copyOf(way.phases().values()), label, Double.NaN);
  }

  private static List<String> lines(PlanResults results) {
    List<String> lines = new ArrayList<>();
    lines.add(
        results.measured()
            ? "Projected from measured layers; nothing was trained."
            : "Projected from the peak of the device; nothing was measured or trained.");
    for (PlanResults.Plan plan : results.plans()) {
      plan.ways().stream()
          .filter(way -> way.missingBytes() == 0)
          .findFirst()
          .ifPresentOrElse(
              way ->
                  lines.add(
                      String.format(
                          Locale.ROOT,
                          "%s: %s, %s for an iteration of %,d samples, an epoch in %s: %s",
                          PlanTable.devices(plan.devices()),
                          way.strategy(),
                          PlanTable.seconds(way.iteration()),
                          plan.batch(),
                          PlanTable.seconds(way.epoch()),
                          way.train())),
              () -> lines.add(PlanTable.devices(plan.devices()) + ": nothing fits"));
      plan.limitations().forEach(each -> lines.add("— " + each.text()));
    }
    return lines;
  }
}
