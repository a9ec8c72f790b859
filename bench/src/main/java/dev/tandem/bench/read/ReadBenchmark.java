package dev.tandem.bench.read;

import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.Machine;
import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.importing.SyntheticRecords.Kind;
import dev.tandem.posix.ControlGroup;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Makes the databases and the contenders of a {@link ReadPlan}, leaves out what was not asked for
 * or cannot be done here, and has {@link ReadRounds} measure the rest.
 */
public final class ReadBenchmark {

  private final Options options;
  private final Progress progress;
  private final List<String> remarks = new ArrayList<>();

  /**
   * What to run.
   *
   * @param folder on the storage to be measured
   * @param quick less data and fewer comparisons
   * @param rounds of every comparison, or fewer if the time is up
   * @param keep databases stay in the folder and are found there next time
   * @param cases which comparisons, by their description
   * @param contenders which contenders, by name
   * @param latency milliseconds that a request takes in the cases of that name
   * @param time after which no round but the first begins
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
   * @param failures the contenders that failed, and why
   */
  public record Results(
      String machine,
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
    DiskDevice disk = DiskDevice.under(options.folder);
    String machine = Machine.describe(options.folder);
    try (BenchFolder scratch = BenchFolder.in(options.folder);
        ReadAhead readAhead = ReadAhead.of(disk)) {
      ReadPlan plan =
          options.quick
              ? ReadPlan.quick(readAhead.original())
              : ReadPlan.full(readAhead.original());
      // Before gigabytes are written: a peer may be missing.
      Map<String, ReadContender> contenders = contenders(scratch);
      Path databases = options.keep ? options.folder : scratch.path();
      ReadDatabase cifar = ReadDatabase.in(databases, Kind.CIFAR, plan.cifarRecords(), progress);
      ReadDatabase imageNet =
          ReadDatabase.in(databases, Kind.IMAGENET, plan.imageNetRecords(), progress);
      if (!readAhead.changeable()) {
        remarks.add("read-ahead 128: setting " + disk.readAheadFile() + " needs root");
      }
      ReadDatabase small = ReadDatabase.small(databases, ReadPlan.SMALL_RECORDS, progress);
      List<ReadPlan.Entry> entries = plan.entries(cifar, imageNet, readAhead.changeable());
      entries.addAll(plan.repeated(cifar, small));
      Map<ReadDatabase, ReadDatabase> originals = new HashMap<>();
      try (LatencyStorage latency = latency(plan, cifar, scratch)) {
        if (latency != null) {
          ReadDatabase mounted = cifar.in(latency);
          originals.put(mounted, cifar);
          entries.add(plan.latency(mounted));
        }
        ReadRounds rounds =
            new ReadRounds(
                possible(entries, contenders, disk),
                contenders,
                originals,
                readAhead,
                disk,
                options.time);
        rounds.run(options.rounds, progress, options.soFar);
        remarks.addAll(rounds.remarks());
        return new Results(machine, remarks, rounds.failures(), rounds.rows(), rounds.elapsed());
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

  private Map<String, ReadContender> contenders(BenchFolder scratch) {
    ReadPeers peers = new ReadPeers(scratch);
    List<ReadContender> all =
        new ArrayList<>(
            List.of(
                new FioCeiling(),
                peers.liblmdb(),
                peers.liblmdbWithoutReadAhead(),
                peers.lmdbJava(),
                new TandemReadContender("auto", false, scratch.path()),
                new TandemLoaderContender(scratch.path())));
    String missing = ReadPeers.pyLmdbMissing();
    if (missing.isEmpty()) {
      all.add(peers.pyLmdb());
      all.add(peers.dataLoader());
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
      List<ReadPlan.Entry> entries, Map<String, ReadContender> contenders, DiskDevice disk) {
    if (options.quick) {
      remarks.add("limited: a quick run's databases are smaller than the memory allowed");
    }
    List<ReadPlan.Entry> possible = new ArrayList<>();
    for (ReadPlan.Entry entry : entries) {
      Optional<String> missing =
          entry.what().access().limits(disk).stream()
              .flatMap(limit -> ControlGroup.missing(limit).stream())
              .findFirst();
      List<String> present = entry.contenders().stream().filter(contenders::containsKey).toList();
      if (missing.isPresent()) {
        remarks.add(entry.what() + ": " + missing.get());
      } else if (options.cases.test(entry.what().toString()) && !present.isEmpty()) {
        possible.add(new ReadPlan.Entry(entry.what(), present));
      }
    }
    return possible;
  }
}
