package dev.tandem.bench.checkpoint;

import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.Children;
import dev.tandem.bench.DebianTorch;
import dev.tandem.bench.LiveContender;
import dev.tandem.bench.Machine;
import dev.tandem.bench.Spread;
import dev.tandem.bench.checkpoint.BaselineSaving.Limit;
import dev.tandem.bench.checkpoint.CheckpointRow.Study;
import dev.tandem.bench.checkpoint.RankSaving.Mode;
import dev.tandem.checkpoint.Compression;
import dev.tandem.core.Progress;
import dev.tandem.nn.models.DigitsNetwork;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.models.Vgg;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.FileTrees;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Everything that is measured; see the package. */
public final class CheckpointBenchmark {

  /**
   * How much to measure.
   *
   * @param rounds that count
   * @param batch of the training, of all ranks
   * @param networks to save
   * @param trained to train at several levels of determinism
   * @param contenders of these alone, as "model format mode ranks"
   */
  public record Effort(
      int rounds, int batch, List<Model> networks, Model trained, Predicate<String> contenders) {

    /** Less than a minute on two cores. */
    public static final Effort QUICK =
        new Effort(2, 4, List.of(Model.RESNET18), Model.RESNET18, c -> true);

    /** All networks of other studies. */
    public static final Effort FULL =
        new Effort(
            10,
            32,
            List.of(Model.RESNET18, Model.RESNET50, Model.VGG16),
            Model.RESNET18,
            c -> true);

    /** With another number of rounds. */
    public Effort withRounds(int count) {
      return new Effort(count, batch, networks, trained, contenders);
    }

    /** With these contenders alone. */
    public Effort with(Predicate<String> selection) {
      return new Effort(rounds, batch, networks, trained, selection);
    }
  }

  /** A network whose state is saved. */
  public enum Model {
    /** For trials: 29,066 parameters. */
    DIGITS("digits"),
    RESNET18("resnet18"),
    RESNET50("resnet50"),
    VGG16("vgg16");

    private final String code;

    Model(String code) {
      this.code = code;
    }

    /** The name in rows. */
    String code() {
      return code;
    }

    NetworkSpec spec() {
      return switch (this) {
        case DIGITS -> DigitsNetwork.spec();
        case RESNET18 -> ResNet.small(18, 10);
        case RESNET50 -> ResNet.spec(50, 1000);
        case VGG16 -> Vgg.sixteen(1000);
      };
    }
  }

  /** What was measured. */
  public record Results(List<CheckpointRow> rows) {}

  private static final int[] RANKS = {1, 2, 4};

  /** On disk: what threads of one process can show as well as processes. */
  private static final List<Mode> MODES =
      List.of(Mode.ASYNC, Mode.SYNC, Mode.RANK0, Mode.REDUNDANT);

  /** As {@link CheckpointRow.Study} has it. */
  private static final String HOSTS = "namespaces";

  private final Effort effort;
  private final Path folder;
  private final Progress progress;
  private final Consumer<String> lines;

  /**
   * A benchmark that has not begun.
   *
   * @param folder on the disk that is measured
   * @param lines notified of what is left out, and why
   */
  public CheckpointBenchmark(
      Effort effort, Path folder, Progress progress, Consumer<String> lines) {
    this.effort = effort;
    this.folder = folder;
    this.progress = progress;
    this.lines = lines;
  }

  /** Measures everything. */
  public Results run() {
    String machine = Machine.describe(folder);
    List<CheckpointRow> rows = new ArrayList<>();
    try (BenchFolder scratch = BenchFolder.in(folder)) {
      for (Model model : effort.networks()) {
        try (Arena arena = Arena.ofShared()) {
          ModelState state = ModelState.of(model.code, model.spec(), arena);
          rows.addAll(measure(state, contenders(model, state, scratch), scratch, machine));
          // Processes come after the threads are gone, so that no state is in memory too often.
          rows.addAll(processes(model, state, Optional.empty(), scratch, machine));
          rows.addAll(namespaces(model, state, scratch, machine));
        }
      }
      if (effort.contenders().test(TrainingOverhead.MODEL)) {
        TrainingOverhead training =
            new TrainingOverhead(scratch.path(), effort.batch(), effort.rounds(), progress, lines);
        rows.addAll(training.run(machine));
        rows.addAll(Projection.of(rows, training.plainSeconds()));
      }
      DeterminismStudy study =
          new DeterminismStudy(
              effort.trained(), scratch.path(), effort.batch(), effort.rounds(), progress);
      if (effort.contenders().test(study.model())) {
        rows.addAll(study.run(machine));
      }
    }
    return new Results(rows);
  }

  private List<Saving> contenders(Model model, ModelState state, BenchFolder scratch) {
    List<Saving> all = new ArrayList<>();
    add(all, model, "memcpy baseline 1", () -> new BaselineSaving(state, Limit.MEMCPY));
    add(all, model, "raw baseline 1", () -> new BaselineSaving(state, Limit.RAW));
    add(all, model, "raw-queued baseline 1", () -> new BaselineSaving(state, Limit.QUEUED));
    for (int ranks : RANKS) {
      for (Mode mode : MODES) {
        String name = "shards %s %d".formatted(mode.code(), ranks);
        add(all, model, name, () -> new TandemSaving(state, mode, ranks, Compression.NONE));
      }
    }
    for (Mode mode : List.of(Mode.ASYNC, Mode.SYNC)) {
      String name = "shards-zstd %s 1".formatted(mode.code());
      add(all, model, name, () -> new TandemSaving(state, mode, 1, Compression.ZSTD));
    }
    for (FormatSaving.Kind kind : FormatSaving.Kind.values()) {
      if (FormatSaving.fits(state, kind)) {
        String name = kind.name().toLowerCase(Locale.ROOT) + " rank0 1";
        add(all, model, name, () -> new FormatSaving(state, kind));
      } else {
        lines.accept("left out: the library for hdf5 needs more heap for " + state.name());
      }
    }
    if (DebianTorch.missing().isEmpty()) {
      add(all, model, "torch.save rank0 1", () -> TorchSaving.start(state, scratch));
    } else {
      lines.accept("left out: torch.save, because python3-torch is not installed");
    }
    return all;
  }

  /** Two ranks that are processes, in those modes in which ranks write their parts. */
  private List<CheckpointRow> processes(
      Model model,
      ModelState state,
      Optional<TwoHosts> hosts,
      BenchFolder scratch,
      String machine) {
    String place = hosts.isPresent() ? HOSTS : "processes";
    List<Mode> modes =
        Stream.of(Mode.ASYNC, Mode.SYNC, Mode.PARTNER)
            .filter(mode -> wanted(model, "shards %s 2 %s".formatted(mode.code(), place)))
            .toList();
    if (modes.isEmpty()) {
      return List.of();
    }
    RankProcesses ranks =
        new RankProcesses(
            model.code + "-" + place, 2, SavingRankMain.class, List.of(model.name()), hosts);
    try (LiveContender live = LiveContender.start(ranks, scratch.path())) {
      List<Saving> all = new ArrayList<>();
      modes.forEach(mode -> all.add(new ProcessSaving(mode, 2, place, live)));
      return measure(state, all, scratch, machine);
    }
  }

  /** The same on two hosts that are network namespaces, with one file system. */
  private List<CheckpointRow> namespaces(
      Model model, ModelState state, BenchFolder scratch, String machine) {
    if (Stream.of(Mode.values())
        .noneMatch(mode -> wanted(model, "shards %s 2 %s".formatted(mode.code(), HOSTS)))) {
      return List.of();
    }
    Optional<String> obstacle = TwoHosts.obstacle();
    if (obstacle.isPresent()) {
      lines.accept("left out: ranks on two hosts: " + obstacle.get());
      return List.of();
    }
    try (TwoHosts hosts = TwoHosts.create()) {
      return processes(model, state, Optional.of(hosts), scratch, machine);
    }
  }

  private boolean wanted(Model model, String name) {
    return effort.contenders().test(model.code + " " + name);
  }

  private void add(List<Saving> all, Model model, String name, Supplier<Saving> saving) {
    if (wanted(model, name)) {
      all.add(saving.get());
    }
  }

  /** Measures these in turns and closes them. */
  private List<CheckpointRow> measure(
      ModelState state, List<Saving> contenders, BenchFolder scratch, String machine) {
    Map<Saving, List<Saving.Times>> times = new LinkedHashMap<>();
    Map<Saving, List<Double>> restored = new LinkedHashMap<>();
    Map<Saving, Long> bytes = new LinkedHashMap<>();
    for (Saving saving : contenders) {
      times.put(saving, new ArrayList<>());
      restored.put(saving, new ArrayList<>());
    }
    int turns = (effort.rounds() + 1) * contenders.size();
    try (Progress.Task task = progress.start("save " + state.name(), turns, "saves")) {
      // The first round warms up and does not count.
      for (int round = 0; round <= effort.rounds(); round++) {
        for (int i = 0; i < contenders.size(); i++) {
          // The order changes from round to round.
          Saving saving =
              contenders.get((i * step(contenders.size(), round) + round) % contenders.size());
          Path place = scratch.path().resolve(name(saving));
          Saving.Times taken = save(saving, place);
          bytes.put(saving, size(place, state, saving));
          double back = saving.restore();
          FileTrees.delete(place);
          if (round > 0) {
            times.get(saving).add(taken);
            restored.get(saving).add(back);
          }
          task.advanceTo(
              (long) round * contenders.size() + i + 1,
              String.format(Locale.ROOT, "%s %.3f s", name(saving), taken.totalSeconds()));
        }
      }
      return contenders.stream()
          .map(
              saving ->
                  row(
                      state,
                      saving,
                      times.get(saving),
                      Spread.of(restored.get(saving)).median(),
                      bytes.get(saving),
                      machine))
          .toList();
    } finally {
      contenders.forEach(Saving::close);
    }
  }

  /** A step that has no factor in common with the count visits every contender once. */
  private static int step(int count, int round) {
    int step = 1 + round % Math.max(1, count - 1);
    while (greatestCommonDivisor(count, step) > 1) {
      step++;
    }
    return step;
  }

  private static int greatestCommonDivisor(int a, int b) {
    return b == 0 ? a : greatestCommonDivisor(b, a % b);
  }

  private static String name(Saving saving) {
    return "%s-%s-%d-%s".formatted(saving.format(), saving.mode(), saving.ranks(), saving.place());
  }

  private static Saving.Times save(Saving saving, Path place) {
    try {
      Files.createDirectories(place);
    } catch (IOException e) {
      throw FileErrors.failure("make the folder", place, e);
    }
    // The disk has nothing left to write from before.
    var _ = Children.run(List.of("sync"));
    return saving.save(place);
  }

  private static long size(Path place, ModelState state, Saving saving) {
    if (saving.format().equals("memcpy") || saving.mode().equals(Mode.PARTNER.code())) {
      return state.bytes();
    }
    try (Stream<Path> files = Files.walk(place)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException e) {
      throw FileErrors.failure("read", place, e);
    }
  }

  private static CheckpointRow row(
      ModelState state,
      Saving saving,
      List<Saving.Times> times,
      double restoreSeconds,
      long bytes,
      String machine) {
    Spread stall = Spread.of(times.stream().map(Saving.Times::stallSeconds).toList());
    Spread write = Spread.of(times.stream().map(Saving.Times::writeSeconds).toList());
    return new CheckpointRow(
        state.name(),
        saving.format(),
        saving.mode(),
        saving.ranks(),
        bytes,
        stall.median() * 1e3,
        stall.least() * 1e3,
        stall.most() * 1e3,
        write.median(),
        write.least(),
        write.most(),
        state.bytes() / 1e6 / write.median(),
        0,
        0,
        0,
        0,
        false,
        times.size(),
        machine,
        Study.ofSave(saving.place(), saving.queueDepth(), restoreSeconds));
  }
}
