package dev.tandem.oracle.published;

import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Projects iteration times on the campaign's machine, calibrated on measurements of it. The bands
 * come from folds of the calibration's own measurements: what a calibration knows of a network with
 * a strategy was left out by numbers of devices, what is new to it by networks. Immutable.
 */
public final class PublishedOracle {

  private final CampaignNetworks networks;
  private final Observations observations;
  private final Calibration calibration;
  private final List<LeftOut> byScale;
  private final List<LeftOut> byModel;

  private PublishedOracle(CampaignNetworks networks, Observations observations) {
    this.networks = networks;
    this.observations = observations;
    List<Observation> calm = observations.calm();
    calibration = Calibration.fit(calm, networks);
    byScale = Folds.SCALE.project(calm, others -> Calibration.fit(others, networks));
    byModel = Folds.MODEL.project(calm, others -> Calibration.fit(others, networks));
  }

  /**
   * Fits the constants to a campaign: to times of iterations of a network that is not suspected of
   * the traffic of others.
   *
   * @throws UsageException if it has none
   */
  public static PublishedOracle calibrate(Campaign campaign) {
    CampaignNetworks networks = new CampaignNetworks(Platform.abci());
    Observations observations = Observations.of(campaign, networks);
    if (observations.calm().isEmpty()) {
      throw new UsageException(
          campaign.name()
              + ": no time of an iteration to calibrate on; expected rows of the quantity "
              + Measurement.ITERATION);
    }
    return new PublishedOracle(networks, observations);
  }

  /** The constants in their units. */
  public Map<Constant, Double> constants() {
    return calibration.constants();
  }

  /** The share of an iteration that devices wait, for each doubling of the number of nodes. */
  public double waiting() {
    return calibration.waiting();
  }

  /**
   * The time of an iteration.
   *
   * @throws UsageException if there is no such network
   */
  public Estimate estimate(Configuration configuration) {
    double seconds = calibration.seconds(configuration);
    double factor = band(configuration).factor();
    return new Estimate(
        seconds, seconds / factor, seconds * factor, calibration.parts(configuration));
  }

  /** How well a campaign is projected that the calibration has not seen. */
  public CampaignScore score(Campaign campaign) {
    return score(
        Observations.of(campaign, networks),
        rows -> rows.stream().map(row -> row(row, calibration, band(row.configuration()))).toList(),
        campaign.name());
  }

  /** How well the calibration's measurements are projected if all of a scale are left out. */
  public CampaignScore leavingOutScales() {
    return leavingOut(byScale);
  }

  /** How well the calibration's measurements are projected if all of a network are left out. */
  public CampaignScore leavingOutModels() {
    return leavingOut(byModel);
  }

  /** How well the published equations, corrected, project what this is calibrated on. */
  public CampaignScore equations() {
    CorrectedEquations equations = new CorrectedEquations(networks);
    Band none = new Band(1);
    return score(
        observations, rows -> rows.stream().map(row -> row(row, equations, none)).toList(), "");
  }

  private CampaignScore leavingOut(List<LeftOut> results) {
    CampaignScore all = scored(leftOutRows(results), observations, Map.of());
    return new CampaignScore(all.score(), Map.of(), all.unscored(), all.otherRows());
  }

  /** The band of each comes from the folds that it is not in. */
  private static List<Score.Row> leftOutRows(List<LeftOut> results) {
    List<Score.Row> rows = new ArrayList<>();
    for (LeftOut result : results) {
      Band band = Band.of(results.stream().filter(r -> !r.fold().equals(result.fold())).toList());
      rows.add(row(result.observation(), result.projected(), band));
    }
    return rows;
  }

  private static CampaignScore score(
      Observations observations,
      Function<List<Observation>, List<Score.Row>> project,
      String name) {
    List<Observation> calm = observations.calm();
    if (calm.isEmpty()) {
      throw new UsageException(
          "%s: nothing to score; expected rows of the quantity %s%s"
              .formatted(
                  name,
                  Measurement.ITERATION,
                  observations.unscored().isEmpty()
                      ? ""
                      : ", the first that was found cannot be projected: "
                          + observations.unscored().getFirst()));
    }
    Map<String, Score> apart = new LinkedHashMap<>();
    List<Observation> congested =
        observations.iterations().stream().filter(Observation::congested).toList();
    if (!congested.isEmpty()) {
      apart.put("congested", Score.of(project.apply(congested)));
    }
    if (!observations.epochs().isEmpty()) {
      apart.put("epochs", Score.of(project.apply(observations.epochs())));
    }
    return scored(project.apply(calm), observations, apart);
  }

  private static CampaignScore scored(
      List<Score.Row> rows, Observations observations, Map<String, Score> apart) {
    return new CampaignScore(
        Score.of(rows), apart, observations.unscored(), observations.otherRows());
  }

  private static Score.Row row(Observation observation, IterationModel model, Band band) {
    return row(observation, model.seconds(observation.configuration()), band);
  }

  private static Score.Row row(Observation observation, double projected, Band band) {
    return new Score.Row(
        observation.place(),
        observation.configuration(),
        observation.seconds(),
        projected,
        projected / band.factor(),
        projected * band.factor());
  }

  private Band band(Configuration configuration) {
    boolean known =
        observations.calm().stream()
            .map(Observation::configuration)
            .anyMatch(
                c ->
                    c.model().equals(configuration.model())
                        && c.strategy() == configuration.strategy());
    return Band.of(known ? byScale : byModel);
  }
}
