package dev.tandem.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.oracle.published.Campaign;
import dev.tandem.oracle.published.CampaignScore;
import dev.tandem.oracle.published.Constant;
import dev.tandem.oracle.published.PublishedOracle;
import dev.tandem.oracle.published.Score;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Tables of how well measured iteration times of a campaign are projected. */
final class PublishedScores {

  /**
   * What {@code --json} gets, in percent.
   *
   * @param scored the file of {@code --score}; without one the calibration's own measurements
   * @param score of the file; without one of folds by numbers of devices
   * @param byModel of folds by networks; null, and left out, with a file
   * @param equations of the published equations, corrected; null, and left out, with a file
   * @param constants that were fitted, in seconds per unit
   */
  record Results(
      String calibrated,
      String scored,
      double overall,
      Map<String, Double> perStrategy,
      double rankingRight,
      double coverage,
      CampaignScore score,
      @JsonInclude(JsonInclude.Include.NON_NULL) CampaignScore byModel,
      @JsonInclude(JsonInclude.Include.NON_NULL) CampaignScore equations,
      Map<Constant, Double> constants) {}

  private final PrintWriter out;
  private final Optional<Path> html;

  /**
   * Tables that are printed.
   *
   * @param html a page that is written, too
   */
  PublishedScores(PrintWriter out, Optional<Path> html) {
    this.out = out;
    this.html = html;
  }

  /**
   * Calibrates and scores.
   *
   * @param calibrate measurements to calibrate on; those that come with Tandem if it is empty
   * @param file measurements to score; if it is empty, the calibration's own, left out in folds
   */
  Results run(Optional<Path> calibrate, Optional<Path> file) {
    Campaign known = calibrate.map(Campaign::read).orElseGet(Campaign::builtIn);
    PublishedOracle oracle = PublishedOracle.calibrate(known);
    if (file.isPresent()) {
      CampaignScore score = oracle.score(Campaign.read(file.get()));
      out.printf("calibrated on %s%n%n", known.name());
      rows(score.score());
      out.println();
      table(Map.of(file.get().toString(), score));
      apart(score);
      html.ifPresent(page -> page(page, Campaign.read(file.get()), score));
      return results(known, file.get().toString(), score, oracle, null, null);
    }
    CampaignScore scales = oracle.leavingOutScales();
    CampaignScore models = oracle.leavingOutModels();
    CampaignScore equations = oracle.equations();
    out.printf(
        "accuracy on %s, percent; each time by constants that have not seen it%n%n", known.name());
    Map<String, CampaignScore> scores = new LinkedHashMap<>();
    scores.put("scale left out", scales);
    scores.put("network left out", models);
    scores.put("published equations", equations);
    table(scores);
    apart(scales);
    html.ifPresent(page -> page(page, known, scales));
    return results(known, known.name(), scales, oracle, models, equations);
  }

  private void page(Path file, Campaign campaign, CampaignScore score) {
    ReportFile.write(file, new PublishedPage(campaign, score).page());
    out.printf("%nwrote %s%n", file);
  }

  private static Results results(
      Campaign known,
      String scored,
      CampaignScore score,
      PublishedOracle oracle,
      CampaignScore models,
      CampaignScore equations) {
    Score own = score.score();
    return new Results(
        known.name(),
        scored,
        own.overall(),
        own.perStrategy(),
        own.rankingRight(),
        own.coverage(),
        score,
        models,
        equations,
        oracle.constants());
  }

  private void rows(Score score) {
    String row = "%-12s %-14s %8s %8s  %10s %10s  %19s %9s%n";
    out.printf(
        row,
        "network",
        "strategy",
        "devices",
        "batch",
        "measured",
        "projected",
        "band",
        "accuracy");
    for (Score.Row each : score.configurations()) {
      out.printf(
          row,
          each.configuration().model(),
          each.configuration().strategy().word(),
          "%,d".formatted(each.configuration().devices()),
          "%,.0f".formatted(each.configuration().batch()),
          seconds(each.measured()),
          seconds(each.projected()),
          seconds(each.low()) + " to " + seconds(each.high()),
          percent(each.accuracy()));
    }
  }

  private static String seconds(double seconds) {
    return String.format(Locale.ROOT, "%.3f s", seconds);
  }

  private static String percent(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  private void table(Map<String, CampaignScore> scores) {
    List<String> strategies =
        scores.values().stream()
            .flatMap(each -> each.score().perStrategy().keySet().stream())
            .distinct()
            .toList();
    out.printf("%-22s %8s", "", "overall");
    strategies.forEach(strategy -> out.printf(" %13s", strategy));
    out.printf(" %8s %8s%n", "order", "in band");
    scores.forEach(
        (name, score) -> {
          out.printf("%-22s %8s", name, percent(score.score().overall()));
          strategies.forEach(
              strategy ->
                  out.printf(
                      " %13s",
                      Optional.ofNullable(score.score().perStrategy().get(strategy))
                          .map(PublishedScores::percent)
                          .orElse("")));
          boolean band = score.score().configurations().stream().anyMatch(r -> r.high() > r.low());
          out.printf(
              " %8s %8s%n",
              percent(score.score().rankingRight()), band ? percent(score.score().coverage()) : "");
        });
  }

  private void apart(CampaignScore score) {
    score
        .apart()
        .forEach(
            (name, own) ->
                out.printf(
                    "%n%s, scored apart: %s over %d configurations%n",
                    name, percent(own.overall()), own.configurations().size()));
    if (!score.unscored().isEmpty()) {
      out.printf("%nnot scored: %d%n", score.unscored().size());
      score.unscored().forEach(line -> out.println("  " + line));
    }
    out.printf("%nrows of other quantities: %d%n", score.otherRows());
  }
}
