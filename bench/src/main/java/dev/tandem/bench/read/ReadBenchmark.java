package dev.tandem.bench.read;

import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.Machine;
import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.importing.SyntheticRecords.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Runs every comparison of a {@link ReadPlan} round by round, contenders in turn (the other way
 * round in every second round), as a {@link ReadSchedule} allows, and gives medians.
 */
public final class ReadBenchmark {

  private final Options options;
  private final Progress progress;
  private final List<String> remarks = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private final Map<String, Long> checksums = new HashMap<>();
  private final Map<String, String> checksumFrom = new HashMap<>();

  /** The originals of databases that are read through a mounted filesystem. */
  private final Map<ReadDatabase, ReadDatabase> behind = new HashMap<>();

  /**
   * What to run.
   *
   * @param folder on the storage to be measured
   * @param quick less data and fewer comparisons
   * @param rounds of every comparison; the last are left out if the time is up
   * @param keep databases stay in the folder and are found there next time
   * @param cases which comparisons, by their description
   * @param contenders who takes part, by name
   * @param latency milliseconds that a request takes in the cases of that name
   * @param time within which everything but the first round must end
   * @param soFar is given the results so far after every comparison, so that they outlive an
   *     interruption
   */
  public record Options(
      Path folder,
      boolean quick,
      int rounds,
      boolean keep,
      Predicate<String> cases,
      Predicate<String> contenders,
      double latency,
      Duration time,
      Consumer<List<ReadRow>> soFar) {}

  /**
   * What came out.
   *
   * @param remarks what was skipped and why
   * @param failures who could not do his work
   */
  public record Results(
      String machine,
      int rounds,
      List<String> remarks,
      List<String> failures,
      List<ReadRow> rows,
      double seconds) {}

  public ReadBenchmark(Options options, Progress progress) {
    this.options = options;
    this.progress = progress;
  }

  /** Runs everything; fails with the package to install if a peer is missing. */
  public Results run() {
    ReadSchedule schedule = new ReadSchedule(options.time, System::nanoTime);
    DiskDevice disk = DiskDevice.under(options.folder);
    String machine = Machine.describe(options.folder);
    try (BenchFolder scratch = BenchFolder.in(options.folder);
        ReadAhead readAhead = ReadAhead.of(disk)) {
      ReadPlan plan =
          options.quick
              ? ReadPlan.quick(readAhead.original())
              : ReadPlan.full(readAhead.original());
      Path databases = options.keep ? options.folder : scratch.path();
      ReadDatabase cifar = ReadDatabase.in(databases, Kind.CIFAR, plan.cifarRecords(), progress);
      ReadDatabase imageNet =
          ReadDatabase.in(databases, Kind.IMAGENET, plan.imageNetRecords(), progress);
      if (!readAhead.changeable()) {
        remarks.add("read-ahead 128: setting " + disk.readAheadFile() + " needs root");
      }
      List<ReadPlan.Entry> entries = plan.entries(cifar, imageNet, readAhead.changeable());
      try (LatencyStorage latency = latency(plan, cifar, scratch)) {
        if (latency != null) {
          ReadDatabase mounted = cifar.in(latency);
          behind.put(mounted, cifar);
          entries.add(plan.latency(mounted));
        }
        return measure(entries, contenders(scratch), readAhead, disk, machine, schedule);
      }
    }
  }

  /** Null if it is not asked for or cannot be. */
  private LatencyStorage latency(ReadPlan plan, ReadDatabase cifar, BenchFolder scratch) {
    ReadCase what = plan.latency(cifar).what();
    if (!options.cases.test(what.toString())) {
      return null;
    }
    String reason;
    try {
      Optional<String> missing = LatencyStorage.missing();
      if (missing.isEmpty()) {
        Path databases = cifar.folder().getParent();
        return LatencyStorage.mount(scratch, databases, options.folder, options.latency);
      }
      reason = missing.get();
    } catch (WorkFailedException e) {
      reason = e.getMessage();
    }
    remarks.add(what + ": " + reason);
    return null;
  }

  private Results measure(
      List<ReadPlan.Entry> all,
      Map<String, ReadContender> contenders,
      ReadAhead readAhead,
      DiskDevice disk,
      String machine,
      ReadSchedule schedule) {
    List<ReadPlan.Entry> entries = possible(all, contenders);
    Map<ReadPlan.Entry, ReadSamples> samples = new LinkedHashMap<>();
    entries.forEach(entry -> samples.put(entry, new ReadSamples(entry.what())));
    int rounds = 0;
    boolean timeLeft = true;
    while (rounds < options.rounds && timeLeft) {
      timeLeft = round(rounds, entries, contenders, samples, readAhead, disk, schedule);
      rounds++;
    }
    return new Results(machine, rounds, remarks, failures, rows(samples), schedule.elapsed());
  }

  private static List<ReadRow> rows(Map<ReadPlan.Entry, ReadSamples> samples) {
    return samples.values().stream().flatMap(sample -> sample.rows().stream()).toList();
  }

  private Map<String, ReadContender> contenders(BenchFolder scratch) {
    ReadPeers peers = new ReadPeers(scratch);
    List<ReadContender> all =
        new ArrayList<>(
            List.of(
                new FioCeiling(),
                peers.liblmdb(),
                peers.liblmdbWithoutReadAhead(),
                peers.lmdbJava(),
                new TandemReadContender("auto", false, scratch.path())));
    String missing = ReadPeers.pyLmdbMissing();
    if (missing.isEmpty()) {
      all.add(peers.pyLmdb());
    } else {
      remarks.add("pylmdb: " + missing);
    }
    ReadPlan.MODES.forEach(mode -> all.add(new TandemReadContender(mode, true, scratch.path())));
    Map<String, ReadContender> byName = new HashMap<>();
    all.stream()
        .filter(contender -> options.contenders.test(contender.name()))
        .forEach(contender -> byName.put(contender.name(), contender));
    return byName;
  }

  /** Leaves out what was not asked for and what this machine cannot do. */
  private List<ReadPlan.Entry> possible(
      List<ReadPlan.Entry> entries, Map<String, ReadContender> contenders) {
    if (options.quick) {
      remarks.add("limited: a quick run's databases are smaller than the memory allowed");
    }
    List<ReadPlan.Entry> possible = new ArrayList<>();
    for (ReadPlan.Entry entry : entries) {
      Optional<String> missing =
          switch (entry.what().access()) {
            case LIMITED -> Confinement.memoryMissing();
            case THROTTLED -> Confinement.readRequestsMissing();
            case STRIDED, SHUFFLED, LATENCY -> Optional.empty();
          };
      List<String> present = entry.contenders().stream().filter(contenders::containsKey).toList();
      if (missing.isPresent()) {
        remarks.add(entry.what() + ": " + missing.get());
      } else if (options.cases.test(entry.what().toString()) && !present.isEmpty()) {
        possible.add(new ReadPlan.Entry(entry.what(), present));
      }
    }
    return possible;
  }

  /** Returns whether there was time for all that was to be measured. */
  private boolean round(
      int round,
      List<ReadPlan.Entry> entries,
      Map<String, ReadContender> contenders,
      Map<ReadPlan.Entry, ReadSamples> samples,
      ReadAhead readAhead,
      DiskDevice disk,
      ReadSchedule schedule) {
    long runs = entries.stream().mapToLong(entry -> entry.contenders(round).size()).sum();
    long done = 0;
    int leftOut = 0;
    String label =
        "round %d of at most %d, about %.1f min"
            .formatted(round + 1, options.rounds, schedule.expected(entries, round) / 60);
    try (Progress.Task task = progress.start(label, runs, "runs")) {
      for (ReadPlan.Entry entry : entries) {
        if (!schedule.hasTime(entry, round)) {
          leftOut++;
          done += entry.contenders(round).size();
          continue;
        }
        readAhead.set(entry.what().readAhead());
        // Read in anew, in order: how large the page cache's pages are depends on how they came.
        entry.what().database().cool();
        for (String name : entry.contenders(round)) {
          double before = schedule.elapsed();
          attempt(entry.what(), contenders.get(name), disk)
              .ifPresent(outcome -> samples.get(entry).add(name, outcome.seconds()));
          schedule.took(entry, name, schedule.elapsed() - before);
          task.advanceTo(++done, name + ": " + entry.what());
        }
        options.soFar.accept(rows(samples));
      }
    }
    if (leftOut > 0) {
      remarks.add(
          "round %d: %d of %d comparisons, which would not have ended within %d s"
              .formatted(round + 1, leftOut, entries.size(), options.time.toSeconds()));
    }
    return leftOut == 0;
  }

  /** One contender's run; if it ends badly, the others go on. Wrong records end everything. */
  private Optional<ReadOutcome> attempt(ReadCase what, ReadContender contender, DiskDevice disk) {
    ReadOutcome outcome;
    try {
      outcome = one(what, contender, disk);
    } catch (WorkFailedException e) {
      failures.add("%s, %s: %s".formatted(contender.name(), what, e.getMessage()));
      return Optional.empty();
    }
    if (!(contender instanceof FioCeiling)) {
      compare(what, contender.name(), outcome);
    }
    return Optional.of(outcome);
  }

  /** One contender's run, with the page cache as the case wants it. */
  private ReadOutcome one(ReadCase what, ReadContender contender, DiskDevice disk) {
    ReadDatabase original = behind.get(what.database());
    if (original != null) {
      // What a mounted database costs is the wait for each request, not the disk behind it.
      original.index(true);
      original.warm();
    }
    contender.prepare(what);
    if (what.warm()) {
      what.database().warm();
    } else {
      what.database().cool();
    }
    try (Confinement confinement = Confinement.of(what.access(), disk)) {
      return contender.run(what, confinement);
    }
  }

  private void compare(ReadCase what, String contender, ReadOutcome outcome) {
    Long expected = checksums.putIfAbsent(what.work(), outcome.checksum());
    String first = checksumFrom.putIfAbsent(what.work(), contender);
    if (outcome.records() != what.records()
        || (expected != null && expected != outcome.checksum())) {
      throw new WorkFailedException(
          "%s read something else than %s: %d records with checksum %016x instead of %d with %016x (%s)"
              .formatted(
                  contender,
                  first,
                  outcome.records(),
                  outcome.checksum(),
                  what.records(),
                  expected,
                  what));
    }
  }
}
