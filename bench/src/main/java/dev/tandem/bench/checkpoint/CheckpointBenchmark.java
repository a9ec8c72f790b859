package dev.tandem.bench.checkpoint;

import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.Children;
import dev.tandem.bench.DebianTorch;
import dev.tandem.bench.Machine;
import dev.tandem.bench.Spread;
import dev.tandem.bench.checkpoint.BaselineSaving.Limit;
import dev.tandem.bench.checkpoint.TandemSaving.Mode;
import dev.tandem.checkpoint.Compression;
import dev.tandem.core.Progress;
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
   * @param batch of the training
   * @param networks to save
   * @param contenders of these alone, as "model format mode ranks"
   */
  public record Effort(int rounds, int batch, List<Model> networks, Predicate<String> contenders) {

    /** About a minute on two cores. */
    public static final Effort QUICK = new Effort(3, 16, List.of(Model.RESNET18), c -> true);

    /** All networks. */
    public static final Effort FULL = new Effort(10, 32, List.of(Model.values()), c -> true);

    /** With another number of rounds. */
    public Effort withRounds(int count) {
      return new Effort(count, batch, networks, contenders);
    }

    /** With these contenders alone. */
    public Effort with(Predicate<String> selection) {
      return new Effort(rounds, batch, networks, selection);
    }
  }

  /** A network whose state is saved. */
  public enum Model {
    RESNET18("resnet18"),
    RESNET50("resnet50"),
    VGG16("vgg16");

    private final String code;

    Model(String code) {
      this.code = code;
    }

    private NetworkSpec spec() {
      return switch (this) {
        case RESNET18 -> ResNet.small(18, 10);
        case RESNET50 -> ResNet.spec(50, 1000);
        case VGG16 -> Vgg.sixteen(1000);
      };
    }
  }

  /** What was measured. */
  public record Results(List<CheckpointRow> rows) {}

  private static final int[] RANKS = {1, 2, 4};

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
          rows.addAll(measure(state, scratch, machine));
        }
      }
      if (effort.contenders().test(TrainingOverhead.MODEL)) {
        TrainingOverhead training =
            new TrainingOverhead(scratch.path(), effort.batch(), effort.rounds(), progress, lines);
        rows.addAll(training.run(machine));
        rows.addAll(Projection.of(rows, training.plainSeconds()));
      }
    }
    return new Results(rows);
  }

  private List<Saving> contenders(ModelState state, BenchFolder scratch) {
    List<Saving> all = new ArrayList<>();
    add(all, state, "memcpy baseline 1", () -> new BaselineSaving(state, Limit.MEMCPY));
    add(all, state, "raw baseline 1", () -> new BaselineSaving(state, Limit.RAW));
    for (int ranks : RANKS) {
      for (Mode mode : Mode.values()) {
        String name = "shards %s %d".formatted(mode.name().toLowerCase(Locale.ROOT), ranks);
        add(all, state, name, () -> new TandemSaving(state, mode, ranks, Compression.NONE));
      }
    }
    for (Mode mode : List.of(Mode.ASYNC, Mode.SYNC)) {
      String name = "shards-zstd %s 1".formatted(mode.name().toLowerCase(Locale.ROOT));
      add(all, state, name, () -> new TandemSaving(state, mode, 1, Compression.ZSTD));
    }
    for (FormatSaving.Kind kind : FormatSaving.Kind.values()) {
      if (FormatSaving.fits(state, kind)) {
        String name = kind.name().toLowerCase(Locale.ROOT) + " rank0 1";
        add(all, state, name, () -> new FormatSaving(state, kind));
      } else {
        lines.accept("left out: the library for hdf5 needs more heap for " + state.name());
      }
    }
    if (DebianTorch.missing().isEmpty()) {
      add(all, state, "torch.save rank0 1", () -> TorchSaving.start(state, scratch));
    } else {
      lines.accept("left out: torch.save, because python3-torch is not installed");
    }
    return all;
  }

  private void add(List<Saving> all, ModelState state, String name, Supplier<Saving> saving) {
    if (effort.contenders().test(state.name() + " " + name)) {
      all.add(saving.get());
    }
  }

  private List<CheckpointRow> measure(ModelState state, BenchFolder scratch, String machine) {
    List<Saving> contenders = contenders(state, scratch);
    Map<Saving, List<Saving.Times>> times = new LinkedHashMap<>();
    Map<Saving, Long> bytes = new LinkedHashMap<>();
    contenders.forEach(saving -> times.put(saving, new ArrayList<>()));
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
          FileTrees.delete(place);
          if (round > 0) {
            times.get(saving).add(taken);
          }
          task.advanceTo(
              (long) round * contenders.size() + i + 1,
              String.format(Locale.ROOT, "%s %.3f s", name(saving), taken.totalSeconds()));
        }
      }
      return contenders.stream()
          .map(saving -> row(state, saving, times.get(saving), bytes.get(saving), machine))
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
    return "%s-%s-%d".formatted(saving.format(), saving.mode(), saving.ranks());
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
    if (saving.format().equals("memcpy")) {
      return state.bytes();
    }
    try (Stream<Path> files = Files.walk(place)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException e) {
      throw FileErrors.failure("read", place, e);
    }
  }

  private static CheckpointRow row(
      ModelState state, Saving saving, List<Saving.Times> times, long bytes, String machine) {
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
        machine);
  }
}
