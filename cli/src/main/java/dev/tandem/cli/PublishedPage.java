package dev.tandem.cli;

import dev.tandem.board.BarChart;
import dev.tandem.board.BarPage;
import dev.tandem.oracle.published.Campaign;
import dev.tandem.oracle.published.CampaignScore;
import dev.tandem.oracle.published.Measurement;
import dev.tandem.oracle.published.Score;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The measurements of a campaign in the forms of the ParaDL study's figures, with projections
 * beside them where there are some.
 */
final class PublishedPage {

  private final Campaign campaign;
  private final CampaignScore score;

  PublishedPage(Campaign campaign, CampaignScore score) {
    this.campaign = campaign;
    this.score = score;
  }

  BarPage page() {
    List<BarPage.Section> sections = new ArrayList<>();
    grouped(score.score().configurations(), row -> row.configuration().strategy().word())
        .forEach((word, rows) -> sections.add(projected(word, rows)));
    add(
        sections,
        "Pipeline: measured times of epochs (form of figure 4.14)",
        "s",
        row -> row.strategy().equals("pipeline") && row.quantity().equals("epoch_time"),
        "These have no calibration: they are shown without a projection.");
    add(
        sections,
        "Space and samples: times of epochs with input (figures 4.16 and 4.20)",
        "s",
        row -> row.strategy().contains("spatial") && row.quantity().equals("epoch_time_with_io"),
        "");
    add(
        sections,
        "Gathers of single iterations: congestion of the network (figure 4.17)",
        "s",
        row -> row.quantity().equals("comm_allgather_per_iteration"),
        "One bar for each iteration: equal messages, different times.");
    parts(
        sections,
        "Serial epochs by phase: the weight update is not trivial (figure 4.18)",
        List.of("epoch_time_forward", "epoch_time_backward", "epoch_time_weight_update"),
        "");
    parts(
        sections,
        "Computation of filter parallelism: convolutions do not scale (figure 4.19)",
        List.of("comp_conv_layers", "comp_other_layers", "comp_impl_overhead_split_concat"),
        "No communication: what is left of the work as it is divided.");
    add(
        sections,
        "Staging of samples to the devices, an iteration (figure 4.21)",
        "s",
        row -> row.quantity().equals("io_staging_per_iter"),
        "");
    Score own = score.score();
    return new BarPage(
        "Measured and projected: " + campaign.name(),
        List.of(
            String.format(
                Locale.ROOT,
                "Projections by constants that have not seen the number of devices: accuracy"
                    + " %.1f%%, order right in %.1f%% of the pairs, %.1f%% within their bands.",
                own.overall(),
                own.rankingRight(),
                own.coverage()),
            "Lines across bars are projections; percentages above them are accuracies."),
        sections);
  }

  /** The form of figures 4.9 to 4.15. */
  private BarPage.Section projected(String word, List<Score.Row> rows) {
    List<BarChart.Bar> bars = new ArrayList<>();
    List<Score.Row> sorted =
        rows.stream()
            .sorted(
                Comparator.comparing((Score.Row row) -> row.configuration().model())
                    .thenComparingInt(row -> row.configuration().devices()))
            .toList();
    for (Score.Row row : sorted) {
      double computing = part(row, "iter_time_comp");
      List<Double> values =
          Double.isNaN(computing)
              ? List.of(0.0, 0.0, row.measured())
              : List.of(computing, row.measured() - computing, 0.0);
      bars.add(
          new BarChart.Bar(
              row.configuration().model(),
              gpus(row.configuration().devices()),
              values,
              String.format(Locale.ROOT, "%.0f%%", row.accuracy()),
              row.projected()));
    }
    return new BarPage.Section(
        new BarChart(
            "%s: an iteration".formatted(word),
            "s",
            List.of("computation", "communication", "not told apart"),
            bars),
        List.of());
  }

  private double part(Score.Row of, String quantity) {
    return campaign.rows().stream()
        .filter(row -> row.place().equals(of.place()))
        .flatMap(
            whole ->
                campaign.rows().stream()
                    .filter(row -> row.quantity().equals(quantity) && whole.sameRun(row)))
        .mapToDouble(Measurement::value)
        .findFirst()
        .orElse(Double.NaN);
  }

  private void add(
      List<BarPage.Section> sections,
      String title,
      String unit,
      Predicate<Measurement> wanted,
      String line) {
    List<BarChart.Bar> bars = new ArrayList<>();
    for (Measurement row : campaign.rows()) {
      if (wanted.test(row)) {
        String group = row.model() + " " + row.strategy();
        String name = row.gpus() == 0 ? "" : gpus(row.gpus());
        bars.add(new BarChart.Bar(group, name, List.of(row.value()), "", Double.NaN));
      }
    }
    section(sections, new BarChart(title, unit, List.of("measured"), bars), line);
  }

  private void parts(
      List<BarPage.Section> sections, String title, List<String> quantities, String line) {
    Map<String, List<Measurement>> runs =
        grouped(
            campaign.rows().stream().filter(row -> quantities.contains(row.quantity())).toList(),
            row -> row.model() + "\n" + row.strategy() + ", " + gpus(row.gpus()));
    List<BarChart.Bar> bars = new ArrayList<>();
    runs.forEach(
        (run, rows) ->
            bars.add(
                new BarChart.Bar(
                    run.substring(0, run.indexOf('\n')),
                    run.substring(run.indexOf('\n') + 1),
                    quantities.stream().map(quantity -> value(rows, quantity)).toList(),
                    "",
                    Double.NaN)));
    section(sections, new BarChart(title, "s", quantities, bars), line);
  }

  private static String gpus(int count) {
    return count + (count == 1 ? " GPU" : " GPUs");
  }

  private static double value(List<Measurement> rows, String quantity) {
    return rows.stream()
        .filter(row -> row.quantity().equals(quantity))
        .mapToDouble(Measurement::value)
        .findFirst()
        .orElse(0);
  }

  private static void section(List<BarPage.Section> sections, BarChart chart, String line) {
    if (!chart.bars().isEmpty()) {
      sections.add(new BarPage.Section(chart, line.isEmpty() ? List.of() : List.of(line)));
    }
  }

  private static <T> Map<String, List<T>> grouped(List<T> rows, Function<T, String> key) {
    return rows.stream()
        .collect(Collectors.groupingBy(key, LinkedHashMap::new, Collectors.toList()));
  }
}
