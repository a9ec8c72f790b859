package dev.tandem.bench.oracle;

import dev.tandem.bench.Machine;
import dev.tandem.core.Progress;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.oracle.measure.ProfileRequest;
import dev.tandem.oracle.measure.Profiler;
import dev.tandem.oracle.profile.Profile;
import dev.tandem.oracle.projection.Candidate;
import dev.tandem.oracle.projection.Environment;
import dev.tandem.oracle.projection.Projection;
import dev.tandem.oracle.projection.Projector;
import dev.tandem.oracle.projection.Term;
import dev.tandem.oracle.projection.Workload;
import dev.tandem.oracle.published.Campaign;
import dev.tandem.oracle.published.CampaignScore;
import dev.tandem.oracle.published.PublishedOracle;
import dev.tandem.parallel.StrategyText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Projects training runs of this machine from profiles that are made first, and then makes the
 * runs.
 */
public final class OracleBenchmark {

  private static final List<Integer> RANKS = List.of(2, 4);

  private final OracleEffort effort;
  private final Progress progress;

  /**
   * Nothing is measured yet.
   *
   * @param quick few runs, short ones
   */
  public OracleBenchmark(boolean quick, Progress progress) {
    effort = quick ? OracleEffort.QUICK : OracleEffort.FULL;
    this.progress = progress;
  }

  /** Published measurements; calculates, and measures nothing. */
  public OracleResults.Published published() {
    PublishedOracle oracle = PublishedOracle.calibrate(Campaign.builtIn());
    CampaignScore scales = oracle.leavingOutScales();
    OracleScore byScale = OracleScore.of(scales.score());
    OracleScore byModel = OracleScore.of(oracle.leavingOutModels().score());
    return new OracleResults.Published(
        OracleScore.mean(byScale, byModel),
        byScale,
        byModel,
        OracleScore.of(oracle.equations().score()),
        scales.unscored());
  }

  /** Projects runs of this machine and makes them. */
  public OracleResults.Machine machine() {
    String description = Machine.describe(Path.of(System.getProperty("java.io.tmpdir")));
    List<OracleRow> rows = rows();
    return new OracleResults.Machine(
        description,
        OracleScore.of(rows, OracleRow::accuracy, OracleRow::projected),
        OracleScore.of(rows, OracleRow::plainAccuracy, OracleRow::plain),
        rows.stream().mapToDouble(row -> Math.abs(row.memoryError())).max().orElse(0),
        rows);
  }

  private List<OracleRow> rows() {
    List<OracleRow> rows = new ArrayList<>();
    for (int ranks : RANKS) {
      Profile profile = profile(ranks);
      List<OracleCase> cases = effort.cases(ranks);
      try (Progress.Task task = progress.start("%d ranks".formatted(ranks), cases.size(), "runs")) {
        for (OracleCase each : cases) {
          rows.add(row(each, profile, MeasuredRun.of(each, effort)));
          task.advanceTo(rows.size(), each.toString());
        }
      }
    }
    return rows;
  }

  Profile profile(int ranks) {
    List<ProfileRequest.Named> networks =
        effort.networks().stream()
            .map(name -> new ProfileRequest.Named(name, NetworkYaml.write(OracleCase.spec(name))))
            .toList();
    List<String> strategies =
        ranks == 2
            ? List.of("spatial", "filter", "channel", "pipeline")
            : List.of("filter=2", "spatial=2");
    ProfileRequest request =
        new ProfileRequest(
            networks,
            effort.samples(ranks),
            strategies,
            1,
            "cpu",
            ProfileRequest.USUAL_SECONDS,
            ProfileRequest.USUAL_LONGEST);
    return new Profiler(request, ranks, progress).run();
  }

  static OracleRow row(OracleCase run, Profile profile, MeasuredRun measured) {
    Projection projection = projection(run, profile, Term.ALL);
    double plain = projection(run, profile, Term.PUBLISHED).iteration();
    double seconds = projection.iteration();
    double band = 2 * Math.hypot(projection.spread(), 0.05);
    return new OracleRow(
        run.network(),
        run.strategy(),
        run.ranks(),
        run.ranks() > Runtime.getRuntime().availableProcessors(),
        run.batch(),
        measured.seconds(),
        seconds,
        plain,
        seconds * Math.max(0, 1 - band),
        seconds * (1 + band),
        projection.seconds(),
        measured.tensorBytes(),
        projection.memory().total(),
        measured.steps());
  }

  private static Projection projection(OracleCase run, Profile profile, Set<Term> terms) {
    NetworkSpec network = run.spec();
    Workload workload = Workload.of(network, 10_000, run.batch());
    Candidate candidate =
        Candidate.of(
            StrategyText.parse(run.strategy())
                .mesh(run.ranks(), network.input().extents().size() - 1));
    return new Projector(workload, Environment.of(profile), terms).project(candidate);
  }
}
