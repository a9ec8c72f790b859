package dev.tandem.bench.oracle;

import dev.tandem.bench.Machine;
import dev.tandem.core.Progress;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.oracle.measure.ProfileRequest;
import dev.tandem.oracle.measure.Profiler;
import dev.tandem.oracle.profile.Profile;
import dev.tandem.oracle.profile.ProfileFile;
import dev.tandem.oracle.projection.Candidate;
import dev.tandem.oracle.projection.Environment;
import dev.tandem.oracle.projection.Phase;
import dev.tandem.oracle.projection.Projection;
import dev.tandem.oracle.projection.Projector;
import dev.tandem.oracle.projection.Term;
import dev.tandem.oracle.projection.Workload;
import dev.tandem.oracle.published.Campaign;
import dev.tandem.oracle.published.CampaignScore;
import dev.tandem.oracle.published.PublishedOracle;
import dev.tandem.parallel.StrategyText;
import dev.tandem.parallel.mesh.Mesh;
import java.nio.file.Files;
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
  private final Path kept;
  private final Progress progress;

  /**
   * Nothing is measured yet.
   *
   * @param quick few runs, short ones
   * @param kept the folder in which profiles are kept, or null
   */
  public OracleBenchmark(boolean quick, Path kept, Progress progress) {
    this.kept = kept;
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
          MeasuredRun measured = MeasuredRun.of(each, cuts(each, profile), effort);
          rows.add(row(each, profile, measured));
          task.advanceTo(rows.size(), each.toString());
        }
      }
    }
    return rows;
  }

  /** One that was kept, or else a new one. */
  private Profile profile(int ranks) {
    Path file = kept == null ? null : kept.resolve("profile-%d.json".formatted(ranks));
    if (file != null && Files.exists(file)) {
      return ProfileFile.read(file);
    }
    Profile made = made(ranks);
    if (file != null) {
      ProfileFile.write(file, made);
    }
    return made;
  }

  private Profile made(int ranks) {
    List<ProfileRequest.Named> networks =
        effort.networks(ranks).stream()
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

  /** What is measured has no waiting for input. */
  private static double withoutInput(Projection projection) {
    return projection.iteration() - projection.seconds().get(Phase.INPUT);
  }

  /** With what the first steps of new processes take more, while their programs are compiled. */
  private double withStartUp(OracleCase run, Profile profile, double iteration) {
    int steps = (int) Math.clamp(effort.seconds() / iteration, 1, effort.steps());
    int layers = run.spec().nodes().size() * candidate(run).passes();
    return iteration + profile.startUpSeconds(steps, layers);
  }

  /** Stages are those that are projected, which a run would else find by measuring. */
  private static List<String> cuts(OracleCase run, Profile profile) {
    Projector projector = projector(run, profile, Term.ALL);
    Candidate candidate = candidate(run);
    return candidate.mesh().size(Mesh.PIPELINE) == 1 ? List.of() : projector.cuts(candidate);
  }

  private OracleRow row(OracleCase run, Profile profile, MeasuredRun measured) {
    Projection projection = projection(run, profile, Term.ALL);
    double plain = withoutInput(projection(run, profile, Term.PUBLISHED));
    double seconds = withStartUp(run, profile, withoutInput(projection));
    double band = 2 * Math.hypot(projection.spread(), 0.08);
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
        measured.parts(),
        projection.seconds(),
        measured.tensorBytes(),
        projection.memory().total(),
        measured.steps());
  }

  private static Projection projection(OracleCase run, Profile profile, Set<Term> terms) {
    return projector(run, profile, terms).project(candidate(run));
  }

  private static Projector projector(OracleCase run, Profile profile, Set<Term> terms) {
    Workload workload = Workload.of(run.spec(), 10_000, run.batch());
    return new Projector(workload, Environment.of(profile), terms);
  }

  private static Candidate candidate(OracleCase run) {
    int dimensions = run.spec().input().extents().size() - 1;
    return Candidate.of(StrategyText.parse(run.strategy()).mesh(run.ranks(), dimensions));
  }
}
