package dev.tandem.cli;

import dev.tandem.core.DType;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Spelling;
import dev.tandem.oracle.cluster.Cluster;
import dev.tandem.oracle.cluster.ClusterFile;
import dev.tandem.oracle.cluster.ThisMachine;
import dev.tandem.oracle.model.ModelSource;
import dev.tandem.oracle.profile.LayerSeconds;
import dev.tandem.oracle.profile.Profile;
import dev.tandem.oracle.profile.ProfileFile;
import dev.tandem.oracle.profile.ProfiledLayers;
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
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
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

  private static final int USUAL_SAMPLES_PER_DEVICE = 32;

  @Parameters(
      arity = "0..1",
      paramLabel = "MODEL",
      description =
          "A built-in network, a file (.yaml, .onnx), a training configuration, or the folder of a"
              + " run.")
  private String model;

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      description =
          "abci, summit, this-machine (its cores, not measured), or a YAML file that describes a"
              + " cluster.")
  private String cluster;

  @Option(
      names = "--profile",
      paramLabel = "FILE",
      description =
          "What layers and collectives take, as ./tandem profile or tools/profile_torch.py wrote"
              + " it. With --cluster only the layers count.")
  private Path profile;

  @Option(
      names = "--devices",
      paramLabel = "N",
      split = ",",
      description =
          "Numbers of devices; 1..64 for all powers of two between. Default: those of the profile,"
              + " or one node")
  private List<String> devices = List.of();

  @Option(
      names = "--batch",
      paramLabel = "B",
      description = "Samples of an iteration over all devices. Default: that of the configuration")
  private Integer batch;

  @Option(
      names = "--batch-per-device",
      paramLabel = "B",
      description = "Samples of an iteration for each device. Default: 32")
  private Integer batchPerDevice;

  @Option(
      names = "--samples",
      paramLabel = "D",
      defaultValue = "1281167",
      description = "Samples of an epoch. Default: ${DEFAULT-VALUE}")
  private long samples;

  @Option(
      names = "--state-values",
      paramLabel = "N",
      description =
          "Numbers that the optimizer keeps for each parameter: 0, 1 with momentum, 2 with Adam."
              + " Default: those of the configuration, or 1")
  private Integer stateValues;

  @Option(
      names = "--precision",
      paramLabel = "TYPE",
      defaultValue = "float32",
      description = "float32 or bfloat16. Default: ${DEFAULT-VALUE}")
  private String precision;

  @Option(
      names = "--input",
      paramLabel = "CxHxW",
      description = "Shape of a sample of a built-in network, such as 3x224x224.")
  private String input;

  @Option(
      names = "--only",
      paramLabel = "KIND",
      split = ",",
      description = "Only these kinds of strategies, such as data, filter, data+spatial.")
  private List<String> only = List.of();

  @Option(
      names = "--top",
      paramLabel = "N",
      defaultValue = "5",
      description = "Ways to show, besides the best of each kind. Default: ${DEFAULT-VALUE}")
  private int top;

  @Option(names = "--inference", description = "The forward pass alone.")
  private boolean inference;

  @Option(
      names = "--without",
      paramLabel = "TERM",
      split = ",",
      description = "Leave terms of the model out, such as overlap, contention, copies.")
  private List<String> without = List.of();

  @Option(
      names = "--equations",
      description = "The published ParaDL equations, corrected, without further terms.")
  private boolean equations;

  @Option(
      names = "--congestion",
      paramLabel = "F",
      defaultValue = "1",
      description =
          "How many times longer bytes take between nodes because of others. Default:"
              + " ${DEFAULT-VALUE}")
  private double congestion;

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

  /**
   * One way to train in {@code --json}, times in seconds of an iteration unless they say epoch.
   *
   * @param settings keys of the configuration besides the mesh
   * @param estimated share of the computing time that was estimated, not measured
   * @param sentBytes of the rank that sends most
   * @param missingBytes of memory; 0 if it fits
   */
  record Way(
      String kind,
      String strategy,
      List<String> settings,
      double iteration,
      double low,
      double high,
      double epoch,
      double deviceHours,
      Map<String, Double> phases,
      double communication,
      double estimated,
      long sentBytes,
      long memoryBytes,
      double missingBytes,
      String bottleneck,
      String train) {}

  /** What {@code --json} gets for a number of devices. */
  record Plan(
      int devices,
      int batch,
      int considered,
      double searchSeconds,
      List<Way> ways,
      List<String> impossible,
      List<Limitation> limitations,
      List<Advice.Gain> gains) {}

  /** What {@code --json} gets. */
  record Results(String model, String machine, boolean measured, List<Plan> plans) {}

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
      return new MeasuredComparison(measuredRun, out()).print(this::basis);
    }
    if (model == null) {
      throw new UsageException(
          "name a model, such as ./tandem plan resnet50 --cluster abci; or --calibrate, --score");
    }
    if (cluster == null && profile == null) {
      throw new UsageException(
          "name where to train: --cluster abci, summit or a file, or --profile FILE, which"
              + " ./tandem profile writes for this machine");
    }
    check("--top", top);
    if (!(congestion >= 1)) {
      throw new UsageException("--congestion must be at least 1, not " + congestion);
    }
    ModelSource source =
        ModelSource.read(
            model,
            new ModelSource.Changes(
                Optional.ofNullable(input).map(text -> ModelSource.Changes.shape("--input", text)),
                OptionalInt.empty()));
    source.notes().forEach(note -> out().println("note: " + note));
    Optional<Profile> measured = Optional.ofNullable(profile).map(ProfileFile::read);
    Set<Term> terms = terms();
    List<Integer> counts = counts(measured);
    counts.forEach(count -> check("--devices", count));
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
    Results results =
        new Results(
            source.name(),
            cluster != null ? cluster : measured.orElseThrow().device(),
            measured.isPresent(),
            plans);
    refuseTooLarge(results);
    if (html != null) {
      ReportFile.write(html, PlanPage.of(results));
      out().printf("wrote %s%n", html);
    }
    return results;
  }

  /** Says what is missing if nothing fits on any number of devices. */
  private static void refuseTooLarge(Results results) {
    if (results.plans.stream()
        .allMatch(plan -> plan.ways.stream().allMatch(way -> way.missingBytes > 0))) {
      Plan largest = results.plans.getLast();
      Way least =
          largest.ways.stream().min(Comparator.comparingDouble(Way::missingBytes)).orElseThrow();
      throw new UsageException(
          "%s does not fit on %,d device%s of %s: the smallest way, %s, lacks %s a device: use more"
                  .formatted(
                      results.model,
                      largest.devices,
                      largest.devices == 1 ? "" : "s",
                      results.machine,
                      least.strategy,
                      PlanTable.bytes((long) least.missingBytes))
              + " devices, a smaller batch, --precision bfloat16 or devices with more memory");
    }
  }

  /** What a run is projected from: what is named, or what there is of this machine. */
  private MachineBasis basis(int ranks) {
    if (profile != null) {
      return new MachineBasis(Environment.of(ProfileFile.read(profile)), profile.toString());
    }
    if (cluster != null) {
      Cluster known = machine(cluster, ranks);
      RooflineLayers layers = new RooflineLayers(known.device(), DType.FLOAT32);
      return new MachineBasis(Environment.of(known, layers, terms(), congestion), cluster);
    }
    return MachineBasis.of(ranks);
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

  private static void check(String option, int value) {
    if (value < 1) {
      throw new UsageException(option + " must be at least 1, not " + value);
    }
  }

  private List<Integer> counts(Optional<Profile> measured) {
    if (!devices.isEmpty()) {
      return devices.stream().flatMap(PlanCommand::range).toList();
    }
    return List.of(
        cluster != null
            ? ClusterFile.read(cluster).devicesPerNode()
            : Math.max(1, measured.orElseThrow().ranks()));
  }

  /** A number, or a range in powers of two. */
  private static Stream<Integer> range(String text) {
    String[] ends = text.strip().split("\\.\\.", -1);
    try {
      int first = Integer.parseInt(ends[0]);
      int last = Integer.parseInt(ends[ends.length - 1]);
      if (ends.length == 1 || (ends.length == 2 && first >= 1 && first <= last)) {
        List<Integer> counts = new ArrayList<>();
        for (long count = first; count < last; count *= 2) {
          counts.add((int) count);
        }
        counts.add(last);
        return counts.stream();
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new UsageException(
        "--devices is '%s', expected numbers such as 8,64 or a range such as 1..64"
            .formatted(text));
  }

  private Set<Term> terms() {
    Set<Term> terms = EnumSet.copyOf(equations ? Term.PUBLISHED : Term.ALL);
    List<String> words = Arrays.stream(Term.values()).map(Term::word).toList();
    for (String word : without) {
      if (!words.contains(word)) {
        throw new UsageException(
            "--without %s: no such term, expected one of %s%s"
                .formatted(word, String.join(", ", words), Spelling.question(word, words)));
      }
      terms.removeIf(term -> term.word().equals(word));
    }
    return terms;
  }

  private Workload workload(ModelSource source, int count) {
    if (batch != null && batchPerDevice != null) {
      throw new UsageException("--batch and --batch-per-device exclude each other");
    }
    int all =
        batch != null
            ? batch
            : batchPerDevice != null || source.training().isEmpty()
                ? Math.multiplyExact(
                    count, batchPerDevice == null ? USUAL_SAMPLES_PER_DEVICE : batchPerDevice)
                : source.training().get().batch().global();
    check("--batch", all);
    DType type =
        switch (precision) {
          case "float32" -> DType.FLOAT32;
          case "bfloat16" -> DType.BFLOAT16;
          default ->
              throw new UsageException(
                  "--precision must be float32 or bfloat16, not '%s'".formatted(precision));
        };
    int values =
        stateValues != null
            ? stateValues
            : source.training().map(each -> each.optimizer().valuesPerParameter()).orElse(1);
    return new Workload(source.network(), samples, all, type, values, Set.of(), false, inference);
  }

  /** All counts together: what is found out for one serves the others. */
  private List<Plan> plans(
      ModelSource source, Optional<Profile> measured, Set<Term> terms, List<Integer> counts) {
    int most = counts.stream().max(Integer::compare).orElseThrow();
    Optional<Cluster> machine = Optional.ofNullable(cluster).map(name -> machine(name, most));
    Workload first = workload(source, counts.getFirst());
    Environment environment = environment(machine, measured, first, terms);
    Set<Family> wanted = Set.copyOf(only.stream().map(Family::parse).toList());
    Search search =
        new Search(
            new Projector(first, environment, terms),
            candidate -> wanted.isEmpty() || wanted.contains(Family.of(candidate)),
            top);
    List<Plan> plans = new ArrayList<>();
    for (int count : counts) {
      Workload workload = workload(source, count);
      Advice advice = new Advice(workload, environment, terms, machine, congestion);
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
              .formatted(
                  count,
                  only.isEmpty() ? "" : " by " + String.join(", ", only),
                  String.join("; ", result.impossible())));
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
        all.stream().sorted().map(each -> way(projector, each, count)).toList(),
        result.impossible(),
        limitations,
        gains);
  }

  /** More processes than this machine has cores take turns on them. */
  private static Cluster machine(String name, int count) {
    Cluster known = ClusterFile.read(name);
    return name.equals(ThisMachine.NAME) ? known : known.withDevices(count);
  }

  private Environment environment(
      Optional<Cluster> machine, Optional<Profile> measured, Workload workload, Set<Term> terms) {
    if (machine.isEmpty()) {
      return Environment.of(measured.orElseThrow());
    }
    Cluster known = machine.get();
    Environment devices =
        Environment.of(known, layers(known, measured, workload), terms, congestion);
    return known.name().equals(ThisMachine.NAME) ? devices.onProcessor() : devices;
  }

  private static LayerSeconds layers(Cluster known, Optional<Profile> measured, Workload workload) {
    return measured
        .<LayerSeconds>map(ProfiledLayers::new)
        .orElseGet(() -> new RooflineLayers(known.device(), workload.activations()));
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
        projector.traffic(projection.candidate()).total().bytesSent(),
        projection.memory().total(),
        ranked.missingBytes(),
        Advice.bottleneck(projection),
        line(projection, projection.workload()));
  }
}
