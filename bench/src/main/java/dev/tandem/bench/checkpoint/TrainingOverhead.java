package dev.tandem.bench.checkpoint;

import dev.tandem.bench.Spread;
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
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * ResNet-18 for images of 32x32 trained on all cores by one rank, in turns of ten steps: without
 * checkpoints, with one in the background and with one that training waits for. A turn with a
 * checkpoint begins with it and ends when it is committed, so nothing of it is left to others.
 */
final class TrainingOverhead {

  /** As the study saves. */
  static final int STEPS = 10;

  static final String MODEL = "resnet18-training";

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
  private final Map<Variant, List<Double>> seconds = new EnumMap<>(Variant.class);
  private final Map<Variant, List<Double>> stalls = new EnumMap<>(Variant.class);
  private final List<Double> writes = new ArrayList<>();
  private long step;

  TrainingOverhead(Path folder, int batch, int rounds, Progress progress, Consumer<String> lines) {
    this.folder = folder;
    this.batch = batch;
    this.rounds = rounds;
    this.progress = progress;
    this.lines = lines;
    for (Variant variant : Variant.values()) {
      seconds.put(variant, new ArrayList<>());
      stalls.put(variant, new ArrayList<>());
    }
  }

  /** Trains; the first turn of each warms up and does not count. */
  List<CheckpointRow> run(String machine) {
    Seed seed = new Seed(3);
    CheckpointOptions options = CheckpointOptions.DEFAULT.with(Retention.last(1));
    AtomicReference<BackgroundCheckpoints.Cost> cost = new AtomicReference<>();
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
            new BackgroundCheckpoints(alone, levels, DurableFiles.system(), lines, cost::set)) {
      FolderCheckpointStore sync =
          new FolderCheckpointStore(
              folder.resolve("sync"), DurableFiles.system(), alone, options, lines);
      background.prepare(SlicedState.whole(optimizer.stateTree(Map.of())));
      Turns turns = new Turns(network, optimizer, images(arena), labels(arena), background, sync);
      try (Progress.Task task = progress.start("train with checkpoints", rounds + 1L, "rounds")) {
        for (int round = 0; round <= rounds; round++) {
          for (int place = 0; place < Variant.values().length; place++) {
            int turn = (place + round) % Variant.values().length;
            turn(turns, List.of(Variant.values()).get(turn), round > 0);
          }
          if (round > 0) {
            writes.add(cost.get().writeSeconds());
          }
          task.advanceTo(round + 1L);
        }
      }
      return rows(optimizer.stateTree(Map.of()).byteSize(), machine);
    }
  }

  /** What a turn needs. */
  private record Turns(
      Network network,
      SgdMomentum optimizer,
      MemorySegment images,
      MemorySegment labels,
      CheckpointStore async,
      CheckpointStore sync) {}

  private void turn(Turns turns, Variant variant, boolean counts) {
    long began = System.nanoTime();
    CheckpointStore store = variant == Variant.ASYNC ? turns.async() : turns.sync();
    if (variant != Variant.NONE) {
      store.save(step, turns.optimizer().stateTree(Map.of("step", Long.toString(step))));
    }
    double stall = (System.nanoTime() - began) / 1e9;
    for (int i = 0; i < STEPS; i++) {
      double loss = turns.network().forwardBackward(turns.images(), turns.labels(), batch);
      if (!Double.isFinite(loss)) {
        throw new IllegalStateException("the loss became " + loss);
      }
      turns.optimizer().step(LEARNING_RATE);
      step++;
    }
    store.await();
    if (counts) {
      seconds.get(variant).add((System.nanoTime() - began) / 1e9);
      stalls.get(variant).add(variant == Variant.NONE ? 0 : stall);
    }
  }

  private List<CheckpointRow> rows(long bytes, String machine) {
    List<CheckpointRow> rows = new ArrayList<>();
    for (Variant variant : Variant.values()) {
      Spread stall = Spread.of(stalls.get(variant));
      Spread write = variant == Variant.ASYNC ? Spread.of(writes) : stall;
      Spread overhead = Spread.of(ratios(variant));
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
              variant == Variant.NONE ? 0 : (overhead.median() - 1) * 100,
              false,
              rounds,
              machine));
    }
    return rows;
  }

  /** Of the turns of one round, which ran one after the other. */
  private List<Double> ratios(Variant variant) {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      ratios.add(seconds.get(variant).get(round) / seconds.get(Variant.NONE).get(round));
    }
    return ratios;
  }

  /** Seconds of ten steps without a checkpoint, median. */
  double plainSeconds() {
    return Spread.of(seconds.get(Variant.NONE)).median();
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
