package dev.tandem.bench.checkpoint;

import dev.tandem.bench.Spread;
import dev.tandem.bench.checkpoint.CheckpointRow.Study;
import dev.tandem.bench.checkpoint.OverheadEstimate.Turn;
import dev.tandem.checkpoint.BackgroundCheckpoints;
import dev.tandem.checkpoint.CheckpointOptions;
import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.checkpoint.Retention;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.comm.Communicator;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.models.ResNet;
import dev.tandem.posix.DurableFiles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * ResNet-18 for images of 32x32 trained on all cores by one rank, in turns of ten steps: without
 * checkpoints, with one in the background and with one that training waits for. A turn with a
 * checkpoint begins with it and ends when it is committed and older ones are removed, so nothing of
 * it is left to others. A round has a turn of each, in all orders in turn; {@link OverheadEstimate}
 * says how they are compared.
 */
final class TrainingOverhead {

  /** Between two checkpoints. */
  static final int STEPS = 10;

  static final String MODEL = "resnet18-training";

  private static final int WARM_UP_STEPS = 3;
  private static final int CLASSES = 10;
  private static final int PIXELS = 3 * 32 * 32;
  private static final double LEARNING_RATE = 0.01;

  /** With what training is compared. */
  enum Variant {
    NONE,
    ASYNC,
    SYNC
  }

  private final Path folder;
  private final int batch;
  private final int rounds;
  private final Progress progress;
  private final Consumer<String> lines;
  private final Map<Variant, List<Turn>> turns = new EnumMap<>(Variant.class);
  private final List<Double> writes = new ArrayList<>();
  private final List<Double> computed = new ArrayList<>();
  private final AtomicReference<BackgroundCheckpoints.Cost> cost = new AtomicReference<>();
  private final AtomicLong committed = new AtomicLong();
  private int disturbed;
  private long step;

  TrainingOverhead(Path folder, int batch, int rounds, Progress progress, Consumer<String> lines) {
    this.folder = folder;
    this.batch = batch;
    this.rounds = rounds;
    this.progress = progress;
    this.lines = lines;
    for (Variant variant : Variant.values()) {
      turns.put(variant, new ArrayList<>());
    }
  }

  /** Trains; the first turn of each is short, warms up and does not count. */
  List<CheckpointRow> run(String machine) {
    Seed seed = new Seed(3);
    CheckpointOptions options = CheckpointOptions.DEFAULT.with(Retention.last(1));
    List<BackgroundCheckpoints.Level> levels =
        List.of(new BackgroundCheckpoints.Level(folder.resolve("async"), 1, options));
    try (Communicator alone = Communicator.alone();
        Arena arena = Arena.ofShared();
        Network network =
            Network.create(
                Engine.start(Runtime.getRuntime().availableProcessors()),
                ResNet.small(18, CLASSES),
                seed);
        SgdMomentum optimizer =
            new SgdMomentum(
                network, new SgdMomentum.Settings(0.9, 1e-4, false, Double.POSITIVE_INFINITY));
        BackgroundCheckpoints background =
            new BackgroundCheckpoints(
                alone, levels, DurableFiles.system(), lines, this::committed)) {
      FolderCheckpointStore sync =
          new FolderCheckpointStore(
              folder.resolve("sync"), DurableFiles.system(), alone, options, lines);
      background.prepare(SlicedState.whole(optimizer.stateTree(Map.of())));
      Training training =
          new Training(network, optimizer, images(arena), labels(arena), background, sync);
      try (Progress.Task task = progress.start("train with checkpoints", rounds + 1L, "rounds")) {
        for (int round = 0; round <= rounds; round++) {
          for (Variant variant : order(round)) {
            turn(training, variant, round > 0 ? STEPS : WARM_UP_STEPS, round > 0);
          }
          task.advanceTo(round + 1L);
        }
      }
      return rows(optimizer.stateTree(Map.of()).byteSize(), machine);
    }
  }

  private void committed(BackgroundCheckpoints.Cost save) {
    committed.set(System.nanoTime());
    cost.set(save);
  }

  /** All orders, one after the other. */
  private static List<Variant> order(int round) {
    List<Variant> order = new ArrayList<>(List.of(Variant.values()));
    Collections.rotate(order, round / 2);
    return round % 2 == 0 ? order : order.reversed();
  }

  /** What a turn needs. */
  private record Training(
      Network network,
      SgdMomentum optimizer,
      MemorySegment images,
      MemorySegment labels,
      CheckpointStore async,
      CheckpointStore sync) {}

  private void turn(Training training, Variant variant, int count, boolean counts) {
    double computedBefore = SavingThreads.cpuSeconds();
    long began = System.nanoTime();
    CheckpointStore store = variant == Variant.ASYNC ? training.async() : training.sync();
    if (variant != Variant.NONE) {
      store.save(step, training.optimizer().stateTree(Map.of("step", Long.toString(step))));
    }
    List<Long> stepsBegan = new ArrayList<>(List.of(System.nanoTime()));
    for (int i = 0; i < count; i++) {
      double loss = training.network().forwardBackward(training.images(), training.labels(), batch);
      if (!Double.isFinite(loss)) {
        throw new IllegalStateException("the loss became " + loss);
      }
      training.optimizer().step(LEARNING_RATE);
      step++;
      stepsBegan.add(System.nanoTime());
    }
    store.await();
    long ended = System.nanoTime();
    if (counts) {
      List<Double> steps = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        steps.add((stepsBegan.get(i + 1) - stepsBegan.get(i)) / 1e9);
      }
      double stall = variant == Variant.NONE ? 0 : (stepsBegan.getFirst() - began) / 1e9;
      turns.get(variant).add(new Turn(stall, steps, (ended - stepsBegan.getLast()) / 1e9));
      if (variant == Variant.ASYNC) {
        writes.add(cost.get().writeSeconds());
        computed.add(SavingThreads.cpuSeconds() - computedBefore);
        int beside = (int) stepsBegan.stream().filter(time -> time < committed.get()).count();
        // One more, in which older checkpoints are removed.
        disturbed = Math.max(disturbed, Math.min(STEPS, beside + 1));
      }
    }
  }

  private List<CheckpointRow> rows(long bytes, String machine) {
    List<CheckpointRow> rows = new ArrayList<>();
    for (Variant variant : Variant.values()) {
      OverheadEstimate estimate = OverheadEstimate.of(rounds(variant), disturbed);
      Spread stall = Spread.of(turns.get(variant).stream().map(Turn::stallSeconds).toList());
      Spread write = variant == Variant.ASYNC ? Spread.of(writes) : stall;
      double background = variant == Variant.ASYNC ? Spread.of(computed).median() : 0;
      if (variant == Variant.ASYNC) {
        report(estimate, background, bytes);
      }
      rows.add(
          new CheckpointRow(
              MODEL,
              variant == Variant.NONE ? "none" : "shards",
              variant == Variant.NONE ? "training" : variant.name().toLowerCase(Locale.ROOT),
              1,
              bytes,
              stall.median() * 1e3,
              stall.least() * 1e3,
              stall.most() * 1e3,
              write.median(),
              write.least(),
              write.most(),
              variant == Variant.NONE ? 0 : bytes / 1e6 / write.median(),
              estimate.percent().median(),
              estimate.percent().low(),
              estimate.percent().high(),
              background * 1e3,
              false,
              rounds,
              machine,
              Study.ofTraining("threads", "", turnSeconds(variant), "")));
    }
    return rows;
  }

  private List<OverheadEstimate.Round> rounds(Variant variant) {
    List<OverheadEstimate.Round> all = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      Turn plain = turns.get(Variant.NONE).get(round);
      all.add(new OverheadEstimate.Round(plain, turns.get(variant).get(round)));
    }
    return all;
  }

  private void report(OverheadEstimate estimate, double background, long bytes) {
    lines.accept(
        String.format(
            Locale.ROOT,
            "a save in the background takes %.1f ms of a core besides the copy (%.1f per 100 MB),"
                + " and runs beside %d steps of %.0f ms at most; later steps are slower by %.2f%%"
                + " (%.2f to %.2f)",
            background * 1e3,
            background * 1e3 / (bytes / 1e8),
            disturbed,
            plainSeconds() / STEPS * 1e3,
            estimate.laterPercent().median(),
            estimate.laterPercent().low(),
            estimate.laterPercent().high()));
  }

  private double turnSeconds(Variant variant) {
    return Spread.of(turns.get(variant).stream().map(Turn::seconds).toList()).median();
  }

  /** Seconds of ten steps without a checkpoint, median. */
  double plainSeconds() {
    return Spread.of(
            turns.get(Variant.NONE).stream()
                .map(turn -> turn.stepSeconds().stream().mapToDouble(Double::doubleValue).sum())
                .toList())
        .median();
  }

  private MemorySegment images(Arena arena) {
    SplittableRandom random = new SplittableRandom(1);
    MemorySegment images = arena.allocate((long) batch * PIXELS * Float.BYTES, 64);
    for (int i = 0; i < batch * PIXELS; i++) {
      images.setAtIndex(ValueLayout.JAVA_FLOAT, i, random.nextFloat() - 0.5f);
    }
    return images;
  }

  private MemorySegment labels(Arena arena) {
    MemorySegment labels = arena.allocate((long) batch * Long.BYTES, 64);
    for (int i = 0; i < batch; i++) {
      labels.setAtIndex(ValueLayout.JAVA_LONG, i, i % CLASSES);
    }
    return labels;
  }
}
