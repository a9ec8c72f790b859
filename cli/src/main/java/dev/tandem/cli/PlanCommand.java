package dev.tandem.cli;

import dev.tandem.cli.PlanResults.Plan;
import dev.tandem.cli.PlanResults.Way;
import dev.tandem.core.UsageException;
import dev.tandem.oracle.cluster.Cluster;
import dev.tandem.oracle.model.ModelSource;
import dev.tandem.oracle.profile.Profile;
import dev.tandem.oracle.profile.RooflineLayers;
import dev.tandem.oracle.projection.Environment;
import dev.tandem.oracle.projection.Phase;
import dev.tandem.oracle.projection.Projection;
import dev.tandem.oracle.projection.Projector;
import dev.tandem.oracle.projection.Term;
import dev.tandem.oracle.projection.Workload;
import dev.tandem.oracle.search.Advice;
import dev.tandem.oracle.search.Family;
import dev.tandem.oracle.search.Limitation;
import dev.tandem.oracle.search.Ranked;
import dev.tandem.oracle.search.Search;
import dev.tandem.oracle.search.SearchResult;
import dev.tandem.oracle.search.TrainingLine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Projects how training will go. */
@Command(
    name = "plan",
    description = {
      "Projects how long training will take under every way to split a network over devices, and"
          + " whether it fits, before it is run: on a cluster that a file describes, or on this"
          + " machine by a profile (./tandem profile).",
      "With --calibrate or --score: calibrates on measured iteration times of a campaign and says"
          + " how well others are projected."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem plan resnet50 --cluster abci --devices 64 --batch-per-device 32",
      "  ./tandem plan train.yaml --profile profile.json --devices 2",
      "  ./tandem plan vgg16 --cluster summit --devices 6,96,1536 --batch 3072 --top 3",
      "  ./tandem plan --measured runs/train         where a run is slower than projected",
      "  ./tandem plan --calibrate published         accuracy on published measurements, in folds",
      "  ./tandem plan --calibrate public.csv --score new.csv --json score.json"
    })
final class PlanCommand extends TandemCommand {

  private static final String PUBLISHED = "published";

  @Parameters(
      arity = "0..1",
      paramLabel = "MODEL",
      description =
          "A built-in network, a file (.yaml, .onnx), a training configuration, or the folder of a"
              + " run.")
  private String model;

  @Mixin private PlanOptions options;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description =
          "Write a page with stacked bars of the phases over the numbers of devices; with"
              + " --calibrate the measurements in the forms of the ParaDL study's figures.")
  private Path html;

  @Option(
      names = "--measured",
      paramLabel = "RUN",
      description =
          "Compare a run of ./tandem train with its projection: which phases, and which layer, took"
              + " longer. By --profile or --cluster, or else by what there is of this machine.")
  private Path measuredRun;

  @Option(
      names = "--calibrate",
      paramLabel = "CSV",
      description =
          "Calibrate on the measurements in a file, with columns model, dataset, strategy, gpus,"
              + " batch_per_gpu, quantity and value; or 'published' for those of ParaDL's campaign"
              + " on ABCI, which is the default of --score.")
  private String calibrate;

  @Option(
      names = "--score",
      paramLabel = "CSV",
      description =
          "Project the measurements in another file of this format. Default: those of the"
              + " calibration, left out in folds by numbers of devices and by networks")
  private Path score;

  @Override
  protected Object run() {
    checkPage();
    if (calibrate != null || score != null) {
      return new PublishedScores(out(), Optional.ofNullable(html))
          .run(
              Optional.ofNullable(calibrate).filter(file -> !file.equals(PUBLISHED)).map(Path::of),
              Optional.ofNullable(score));
    }
    if (measuredRun != null) {
      return new MeasuredComparison(measuredRun, out()).print(options::basis);
    }
    if (model == null) {
      throw new UsageException(
          "name a model, such as ./tandem plan resnet50 --cluster abci; or --calibrate, --score");
    }
    options.check();
    ModelSource source = options.model(model);
    source.notes().forEach(note -> out().println("note: " + note));
    Optional<Profile> measured = options.measured();
    Set<Term> terms = options.terms();
    List<Integer> counts = options.counts(measured);
    counts.forEach(count -> PlanOptions.check("--devices", count));
    List<Plan> plans = plans(source, measured, terms, counts);
    if (plans.size() > 1) {
      out()
          .printf(
              Locale.ROOT,
              "%,d ways projected in %.1f s%n",
              plans.stream().mapToInt(Plan::considered).sum(),
              plans.stream().mapToDouble(Plan::searchSeconds).sum());
    }
    if (measured.isEmpty()) {
      out().printf("%nlayers: %s, by the peak of the device%n", RooflineLayers.LABEL);
    }
    PlanResults results =
        new PlanResults(source.name(), options.machineName(measured), measured.isPresent(), plans);
    refuseTooLarge(results);
    if (html != null) {
      ReportFile.write(html, PlanPage.of(results));
      out().printf("wrote %s%n", html);
    }
    return results;
  }

  /** Says what is missing if nothing fits on any number of devices. */
  private static void refuseTooLarge(PlanResults results) {
    if (results.plans().stream()
        .allMatch(plan -> plan.ways().stream().allMatch(way -> way.missingBytes() > 0))) {
      Plan largest = results.plans().getLast();
      Way least =
          largest.ways().stream().min(Comparator.comparingDouble(Way::missingBytes)).orElseThrow();
      throw new UsageException(
          "%s does not fit on %,d device%s of %s: the smallest way, %s, lacks %s a device: use more"
                  .formatted(
                      results.model(),
                      largest.devices(),
                      largest.devices() == 1 ? "" : "s",
                      results.machine(),
                      least.strategy(),
                      PlanTable.bytes((long) least.missingBytes()))
              + " devices, a smaller batch, --precision bfloat16 or devices with more memory");
    }
  }

  private void checkPage() {
    if (html == null) {
      return;
    }
    Path folder = html.toAbsolutePath().getParent();
    if (!Files.isDirectory(folder) || Files.isDirectory(html)) {
      throw new UsageException("--html %s cannot be written".formatted(html));
    }
  }

  /** All counts together: what is found out for one serves the others. */
  private List<Plan> plans(
      ModelSource source, Optional<Profile> measured, Set<Term> terms, List<Integer> counts) {
    int most = counts.stream().max(Integer::compare).orElseThrow();
    Optional<Cluster> machine = options.machine(most);
    Workload first = options.workload(source, counts.getFirst());
    Environment environment = options.environment(machine, measured, first, terms);
    Search search =
        new Search(new Projector(first, environment, terms), options.wanted(), options.top());
    List<Plan> plans = new ArrayList<>();
    for (int count : counts) {
      Workload workload = options.workload(source, count);
      Advice advice = new Advice(workload, environment, terms, machine, options.congestion());
      plans.add(plan(source, search.withBatch(workload.batch()), advice, count));
    }
    return plans;
  }

  private Plan plan(ModelSource source, Search search, Advice advice, int count) {
    Projector projector = search.projector();
    Workload workload = projector.workload();
    long began = System.nanoTime();
    SearchResult result = search.over(count);
    double seconds = (System.nanoTime() - began) / 1e9;
    if (result.families().isEmpty()) {
      throw new UsageException(
          "no way to use %d devices%s: %s"
              .formatted(count, options.only(), String.join("; ", result.impossible())));
    }
    out().printf("%s, %,d samples per iteration, ", source.name(), workload.batch());
    new PlanTable(out()).print(result);
    List<Ranked> rows = result.best();
    Optional<Projection> best = rows.stream().findFirst().map(Ranked::projection);
    List<Advice.Gain> gains =
        best.map(projection -> advice.gains(projection.candidate())).orElse(List.of());
    List<Limitation> limitations =
        best.map(
                projection ->
                    Limitation.of(projection, projector.memoryOfRank(count), search.limits()))
            .orElse(List.of());
    print(best, limitations, gains, workload);
    List<Ranked> all = new ArrayList<>(rows);
    result.families().values().stream().filter(each -> !rows.contains(each)).forEach(all::add);
    return new Plan(
        count,
        workload.batch(),
        result.considered(),
        seconds,
        all.parallelStream().sorted().map(each -> way(projector, each, count)).toList(),
        result.impossible(),
        limitations,
        gains);
  }

  private void print(
      Optional<Projection> best,
      List<Limitation> limitations,
      List<Advice.Gain> gains,
      Workload workload) {
    if (best.isEmpty()) {
      out().printf("%nnothing fits on this number of devices%n");
      return;
    }
    out().printf("%nlimits of the best:%n");
    limitations.forEach(each -> out().println("  " + each.text()));
    best.get().notes().forEach(note -> out().println("  " + note));
    out().printf("what would help most, if it were a tenth better:%n");
    gains.stream()
        .limit(3)
        .forEach(
            gain ->
                out()
                    .println(
                        String.format(
                            Locale.ROOT,
                            "  %s: %.1f%% less time",
                            gain.resource(),
                            100 * gain.gain())));
    out().printf("to train it:%n  %s%n%n", line(best.get(), workload));
  }

  private String line(Projection best, Workload workload) {
    return TrainingLine.of(
        model.endsWith(".yaml") || model.endsWith(".yml") ? model : "CONFIG.yaml",
        best.candidate(),
        workload.batch());
  }

  private Way way(Projector projector, Ranked ranked, int count) {
    Projection projection = ranked.projection();
    Map<String, Double> phases = new LinkedHashMap<>();
    for (Phase phase : Phase.values()) {
      phases.put(phase.word(), projection.seconds().get(phase));
    }
    return new Way(
        Family.of(projection.candidate()).toString(),
        TrainingLine.strategy(projection.candidate()),
        TrainingLine.settings(projection.candidate()),
        projection.iteration(),
        PlanTable.low(projection),
        PlanTable.high(projection),
        projection.epoch(),
        projection.epoch() * count / 3600,
        phases,
        projection.communication(),
        projection.estimated(),
        wantsJson() ? projector.traffic(projection.candidate()).total().bytesSent() : null,
        projection.memory().total(),
        ranked.missingBytes(),
        Advice.bottleneck(projection),
        line(projection, projection.workload()));
  }
}
