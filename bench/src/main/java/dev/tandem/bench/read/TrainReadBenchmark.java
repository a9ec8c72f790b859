package dev.tandem.bench.read;

import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.Children;
import dev.tandem.bench.Machine;
import dev.tandem.bench.Ranks;
import dev.tandem.bench.read.TrainReadRank.Part;
import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.index.RecordIndex;
import dev.tandem.nn.Engine;
import dev.tandem.nn.models.DigitsNetwork;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Trains the demo's network end to end by every read mode, from a cold disk and from storage on
 * which every request takes long: two processes each time, and each must end with the same
 * parameters.
 */
public final class TrainReadBenchmark {

  /** How the line of a rank begins. */
  static final String MARK = "train-read";

  private static final int RANKS = 2;

  private final Path folder;
  private final int images;
  private final double latency;
  private final Progress progress;

  /**
   * What came out.
   *
   * @param remarks what was skipped and why
   */
  public record Results(String machine, List<String> remarks, List<TrainReadRow> rows) {}

  /**
   * @param folder on the storage to be measured
   * @param images of the training set, each of which is trained on once
   * @param latency milliseconds that a request takes on the storage of that name
   */
  public TrainReadBenchmark(Path folder, int images, double latency, Progress progress) {
    this.folder = folder;
    this.images = images;
    this.latency = latency;
    this.progress = progress;
  }

  /**
   * Where records are read from.
   *
   * @param original the same database on the disk
   */
  private record Storage(String name, Path database, Path original) {

    /** Cold, except the disk under a mounted filesystem, which is not what is measured. */
    void prepare() {
      if (!database.equals(original)) {
        dd(original, "of=/dev/null", "bs=1M");
      }
      dd(database, "iflag=nocache", "count=0");
    }

    private static void dd(Path of, String... options) {
      List<String> command = new ArrayList<>(List.of("dd", "if=" + Environment.dataFile(of)));
      command.addAll(List.of(options));
      command.add("status=none");
      Children.run(command);
    }
  }

  /** Runs every mode on every storage that there can be here. */
  public Results run() {
    List<String> remarks = new ArrayList<>();
    List<TrainReadRow> rows = new ArrayList<>();
    try (BenchFolder scratch = BenchFolder.in(folder);
        ReadAhead readAhead = ReadAhead.of(DiskDevice.under(folder))) {
      Path databases = scratch.path().resolve("data");
      Path database = databases.resolve("train");
      GlyphDatabase.write(database, new Seed(1).derive("training"), images, progress);
      RecordIndex.openOrBuild(database, Progress.SILENT);
      Engine.unpack(Progress.SILENT);
      if (readAhead.changeable()) {
        readAhead.set(ReadPlan.DEFAULT_READ_AHEAD);
      } else {
        remarks.add("read-ahead 128: setting it needs root");
      }
      List<Storage> storages = new ArrayList<>();
      storages.add(new Storage("disk", database, database));
      try (LatencyStorage mounted = mounted(scratch, databases, remarks)) {
        if (mounted != null) {
          Path seen = mounted.path().resolve("train");
          storages.add(new Storage("latency", seen, database));
        }
        measure(storages, rows);
      }
    }
    return new Results(Machine.describe(folder), remarks, rows);
  }

  private LatencyStorage mounted(BenchFolder scratch, Path databases, List<String> remarks) {
    Optional<String> missing = LatencyStorage.missing();
    if (missing.isPresent()) {
      remarks.add("latency: " + missing.get());
      return null;
    }
    try {
      return LatencyStorage.mount(scratch, databases, folder, latency);
    } catch (WorkFailedException e) {
      remarks.add("latency: " + e.getMessage());
      return null;
    }
  }

  private void measure(List<Storage> storages, List<TrainReadRow> rows) {
    long runs = (long) storages.size() * ReadPlan.MODES.size();
    try (Progress.Task task = progress.start("training", runs, "runs")) {
      for (Storage storage : storages) {
        for (String mode : ReadPlan.MODES) {
          rows.add(train(storage, mode));
          task.advanceTo(rows.size(), mode + " from " + storage.name);
          requireSame(rows);
        }
      }
    }
  }

  /** Which mode reads must not change what is learned. */
  private static void requireSame(List<TrainReadRow> rows) {
    TrainReadRow first = rows.getFirst();
    TrainReadRow last = rows.getLast();
    if (!first.digest().equals(last.digest())) {
      throw new WorkFailedException(
          "training by %s from %s ended with other parameters than by %s from %s"
              .formatted(last.mode(), last.storage(), first.mode(), first.storage()));
    }
  }

  private TrainReadRow train(Storage storage, String mode) {
    storage.prepare();
    int steps = Math.ceilDiv(images, DigitsNetwork.GLOBAL_BATCH);
    int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / RANKS);
    List<String> arguments =
        List.of(
            storage.database.toString(), mode, Integer.toString(steps), Integer.toString(threads));
    List<String> lines = Collections.synchronizedList(new ArrayList<>());
    Ranks.run(
        "training by %s from %s".formatted(mode, storage.name),
        LaunchPlan.of(RANKS, TrainReadRank.class.getName(), arguments),
        lines::add);
    return row(storage.name, mode, lines);
  }

  private static TrainReadRow row(String storage, String mode, List<String> lines) {
    List<Map<String, String>> ranks =
        lines.stream()
            .filter(line -> line.startsWith(MARK))
            .map(TrainReadBenchmark::fields)
            .toList();
    if (ranks.size() != RANKS
        || !ranks.getFirst().get("digest").equals(ranks.getLast().get("digest"))) {
      throw new WorkFailedException(
          "training by %s from %s: the ranks do not agree: %s".formatted(mode, storage, lines));
    }
    Map<String, String> first = ranks.getFirst();
    long steps = Long.parseLong(first.get("steps"));
    double seconds = mean(ranks, "seconds");
    return new TrainReadRow(
        storage,
        mode,
        first.get("mode"),
        RANKS,
        steps,
        steps * DigitsNetwork.GLOBAL_BATCH / seconds,
        mean(ranks, "first"),
        mean(ranks, Part.READ.code()),
        mean(ranks, Part.SKEW.code()),
        mean(ranks, Part.FORWARD.code()),
        mean(ranks, Part.BACKWARD.code()),
        mean(ranks, Part.SYNC.code()),
        mean(ranks, Part.UPDATE.code()),
        first.get("digest"));
  }

  private static double mean(List<Map<String, String>> ranks, String name) {
    return ranks.stream()
        .mapToDouble(rank -> Double.parseDouble(rank.get(name)))
        .average()
        .orElse(0);
  }

  private static Map<String, String> fields(String line) {
    Map<String, String> fields = new HashMap<>();
    for (String word : line.split(" ", -1)) {
      int equals = word.indexOf('=');
      if (equals > 0) {
        fields.put(word.substring(0, equals), word.substring(equals + 1));
      }
    }
    return fields;
  }
}
