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
import dev.tandem.oracle.projection.Candidate;
import dev.tandem.oracle.projection.Environment;
import dev.tandem.oracle.projection.Term;
import dev.tandem.oracle.projection.Workload;
import dev.tandem.oracle.search.Family;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The options of {@code tandem plan} that say what is projected, and on what. */
final class PlanOptions {

  private static final int USUAL_SAMPLES_PER_DEVICE = 32;

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

  /** What a run is projected from: what is named, or what there is of this machine. */
  MachineBasis basis(int ranks) {
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

  static void check(String option, int value) {
    if (value < 1) {
      throw new UsageException(option + " must be at least 1, not " + value);
    }
  }

  List<Integer> counts(Optional<Profile> measured) {
    if (!devices.isEmpty()) {
      return devices.stream().flatMap(PlanOptions::range).toList();
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

  Set<Term> terms() {
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

  Workload workload(ModelSource source, int count) {
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

  /** More processes than this machine has cores take turns on them. */
  private static Cluster machine(String name, int count) {
    Cluster known = ClusterFile.read(name);
    return name.equals(ThisMachine.NAME) ? known : known.withDevices(count);
  }

  Environment environment(
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

  /** Refuses what cannot be projected. */
  void check() {
    if (cluster == null && profile == null) {
      throw new UsageException(
          "name where to train: --cluster abci, summit or a file, or --profile FILE, which"
              + " ./tandem profile writes for this machine");
    }
    check("--top", top);
    if (!(congestion >= 1)) {
      throw new UsageException("--congestion must be at least 1, not " + congestion);
    }
  }

  /** The model in a text, with the input that is asked for. */
  ModelSource model(String text) {
    return ModelSource.read(
        text,
        new ModelSource.Changes(
            Optional.ofNullable(input).map(shape -> ModelSource.Changes.shape("--input", shape)),
            OptionalInt.empty()));
  }

  /** The profile, if there is one. */
  Optional<Profile> measured() {
    return Optional.ofNullable(profile).map(ProfileFile::read);
  }

  /** The cluster with so many devices, if there is one. */
  Optional<Cluster> machine(int count) {
    return Optional.ofNullable(cluster).map(name -> machine(name, count));
  }

  /** What results call the machine. */
  String machineName(Optional<Profile> measured) {
    return cluster != null ? cluster : measured.orElseThrow().device();
  }

  /** Whether a kind of strategy is asked for; all are if none is named. */
  Predicate<Candidate> wanted() {
    Set<Family> wanted = Set.copyOf(only.stream().map(Family::parse).toList());
    return candidate -> wanted.isEmpty() || wanted.contains(Family.of(candidate));
  }

  /** The kinds that are asked for, for messages. */
  String only() {
    return only.isEmpty() ? "" : " by " + String.join(", ", only);
  }

  int top() {
    return top;
  }

  double congestion() {
    return congestion;
  }
}
