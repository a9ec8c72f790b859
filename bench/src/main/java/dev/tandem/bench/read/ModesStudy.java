package dev.tandem.bench.read;

import dev.tandem.bench.BenchFolder;
import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.importing.SyntheticRecords.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Every mode with 1, 2, 4 and 8 processes on storage that charges per request, beside what the
 * thesis found on a cluster. One machine cannot be many nodes: {@code lmm} and {@code dm} have one
 * root, as on one node; in {@code dio}, {@code prov}, {@code coal} and {@code stag} every process
 * is a root, as if it were a node of its own, and half of the roots of {@code stag} read at a time.
 */
final class ModesStudy {

  private static final List<Integer> PROCESSES = List.of(1, 2, 4, 8);

  /** The telling numbers first: if the time is up, the others are missing. */
  private static final List<Integer> MEASURED = List.of(8, 1, 4, 2);

  private static final List<String> MODES =
      List.of("lmdb", "lmm", "dm", "dio", "prov", "coal", "stag");
  private static final int ITERATIONS = 4;
  private static final int REQUESTS_PER_SECOND = 1000;
  private static final double SECONDS = 400;

  private final BenchFolder scratch;
  private final Progress progress;
  private final List<String> skipped = new ArrayList<>();
  private final List<Part> parts = new ArrayList<>();
  private final Map<String, Long> checksums = new LinkedHashMap<>();

  /**
   * One database on one storage.
   *
   * @param original behind a mounted database
   * @param throttled the disk whose requests are limited
   * @param speeds MB of the file a second, by mode and number of processes
   */
  private record Part(
      String title,
      ReadDatabase database,
      Optional<ReadDatabase> original,
      Optional<DiskDevice> throttled,
      Map<String, Map<Integer, Double>> speeds) {}

  private ModesStudy(BenchFolder scratch, Progress progress) {
    this.scratch = scratch;
    this.progress = progress;
  }

  /**
   * Runs it on a part of the benchmark's quick databases.
   *
   * @param databases where they are or are made
   * @param folder for the mount point
   * @param latency milliseconds of a request
   * @param wanted which tables, by their titles
   */
  static ReadStudy.Table run(
      BenchFolder scratch,
      Path databases,
      Path folder,
      double latency,
      Predicate<String> wanted,
      Progress progress) {
    ModesStudy study = new ModesStudy(scratch, progress);
    ReadPlan plan = ReadPlan.quick(0);
    List<ReadDatabase> both = new ArrayList<>();
    for (Kind kind : List.of(Kind.CIFAR, Kind.IMAGENET)) {
      ReadDatabase database = ReadDatabase.in(databases, kind, plan.records(kind), progress);
      database.index(true);
      both.add(database);
    }
    study.throttled(both);
    try (ReadAhead readAhead = ReadAhead.of(DiskDevice.under(folder));
        LatencyStorage _ = study.latency(both, folder, latency)) {
      if (readAhead.changeable()) {
        readAhead.set(ReadPlan.DEFAULT_READ_AHEAD);
      } else {
        study.skipped.add("read-ahead 128: setting it needs root");
      }
      study.parts.removeIf(part -> !wanted.test(part.title));
      study.measure();
    }
    return new ReadStudy.Table(
        "MB/s of the file by mode and number of processes, %d batches of 16 MB, cold, read-ahead"
                .formatted(ITERATIONS)
            + " 128 KB",
        "on one node dm does not beat lmm (4.3.1); explicit reads (dio, prov) beat mmap (5.4); coal"
            + " gains on CIFAR, and on ImageNet falls behind without stag (5.2.3, 5.4)",
        study.lines());
  }

  private void throttled(List<ReadDatabase> databases) {
    Optional<String> missing = Confinement.readRequestsMissing();
    if (missing.isPresent()) {
      skipped.add("throttled: " + missing.get());
      return;
    }
    for (ReadDatabase database : databases) {
      String title = "%s throttled, %,d requests/s".formatted(database.name(), REQUESTS_PER_SECOND);
      DiskDevice disk = DiskDevice.under(database.file());
      parts.add(
          new Part(title, database, Optional.empty(), Optional.of(disk), new LinkedHashMap<>()));
    }
  }

  /** Null if there can be no such storage. */
  private LatencyStorage latency(List<ReadDatabase> databases, Path folder, double milliseconds) {
    String reason = LatencyStorage.missing().orElse("");
    LatencyStorage storage = null;
    if (reason.isEmpty()) {
      try {
        Path source = databases.getFirst().folder().getParent();
        storage = LatencyStorage.mount(scratch, source, folder, milliseconds);
      } catch (WorkFailedException e) {
        reason = e.getMessage();
      }
    }
    if (storage == null) {
      skipped.add("latency: " + reason);
      return null;
    }
    for (ReadDatabase database : databases) {
      String title =
          String.format(
              Locale.ROOT, "%s latency, %.1f ms a request", database.name(), milliseconds);
      ReadDatabase mounted = database.in(storage);
      parts.add(
          new Part(title, mounted, Optional.of(database), Optional.empty(), new LinkedHashMap<>()));
    }
    return storage;
  }

  private void measure() {
    long began = System.nanoTime();
    long runs = (long) parts.size() * MODES.size() * MEASURED.size();
    long done = 0;
    try (Progress.Task task = progress.start("modes", runs, "runs")) {
      for (int processes : MEASURED) {
        for (Part part : parts) {
          for (String mode : MODES) {
            if ((System.nanoTime() - began) / 1e9 > SECONDS) {
              skipped.add("what is not in the tables: the time was up");
              return;
            }
            double speed = read(part, mode, processes);
            part.speeds.computeIfAbsent(mode, any -> new LinkedHashMap<>()).put(processes, speed);
            task.advanceTo(++done, "%s, %d x %s".formatted(part.title, processes, mode));
          }
        }
      }
    }
  }

  private double read(Part part, String mode, int processes) {
    part.original.ifPresent(ReadDatabase::warm);
    part.database.cool();
    ReadCase what =
        new ReadCase(
            part.database,
            part.throttled.isPresent() ? ReadAccess.THROTTLED : ReadAccess.LATENCY,
            false,
            ReadPlan.DEFAULT_READ_AHEAD,
            processes,
            ReadPlan.batch(part.database),
            ITERATIONS);
    int roots = mode.equals("lmm") || mode.equals("dm") ? 1 : processes;
    int group = Math.max(1, processes / 2);
    TandemReadContender contender =
        new TandemReadContender(
            mode,
            true,
            scratch.path(),
            "--roots",
            Integer.toString(roots),
            "--stagger",
            Integer.toString(group));
    try (Confinement confinement =
        part.throttled
            .map(disk -> Confinement.readRequests(disk, REQUESTS_PER_SECOND))
            .orElseGet(Confinement::none)) {
      ReadOutcome outcome = contender.run(what, confinement);
      Long expected = checksums.putIfAbsent(part.database.name(), outcome.checksum());
      if (expected != null && expected != outcome.checksum()) {
        throw new WorkFailedException(
            "%s with %d processes read other records than those before (%s)"
                .formatted(mode, processes, part.title));
      }
      return outcome.records() * part.database.bytesPerRecord() / 1e6 / outcome.seconds();
    }
  }

  private List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (Part part : parts) {
      StringBuilder header = new StringBuilder(String.format(Locale.ROOT, "%-40s", part.title));
      PROCESSES.forEach(count -> header.append(String.format(Locale.ROOT, "%9d", count)));
      lines.add(header.toString());
      part.speeds.forEach((mode, row) -> lines.add(line(mode, row)));
      lines.addAll(ModesExpectation.compare(part.database.name(), PROCESSES, part.speeds));
      lines.add("");
    }
    skipped.forEach(what -> lines.add("skipped: " + what));
    return lines;
  }

  private static String line(String mode, Map<Integer, Double> row) {
    StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-40s", "  " + mode));
    for (int processes : PROCESSES) {
      Double speed = row.get(processes);
      line.append(speed == null ? "        -" : String.format(Locale.ROOT, "%,9.0f", speed));
    }
    return line.toString();
  }
}
