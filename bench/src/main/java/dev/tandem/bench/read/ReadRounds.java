package dev.tandem.bench.read;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.ControlGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Measures comparisons in rounds: the first has all contenders, later ones the most important, as
 * far as there is time. Contenders take turns, in every second round in the reverse order. All
 * checksums of the same work must agree.
 */
final class ReadRounds {

  private final List<ReadPlan.Entry> entries;
  private final Map<String, ReadContender> contenders;
  private final Map<ReadDatabase, ReadDatabase> originals;
  private final ReadAhead readAhead;
  private final DiskDevice disk;
  private final Duration time;
  private final long began = System.nanoTime();
  private final Map<ReadPlan.Entry, Double> lastSeconds = new HashMap<>();
  private final Map<ReadPlan.Entry, ReadSamples> samples = new LinkedHashMap<>();
  private final List<String> remarks = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private final Map<String, Long> checksums = new HashMap<>();
  private final Map<String, String> checksumFrom = new HashMap<>();

  /**
   * @param contenders by name
   * @param originals of databases that are read through a mounted filesystem
   * @param time after which no further round of a comparison shall run
   */
  ReadRounds(
      List<ReadPlan.Entry> entries,
      Map<String, ReadContender> contenders,
      Map<ReadDatabase, ReadDatabase> originals,
      ReadAhead readAhead,
      DiskDevice disk,
      Duration time) {
    this.entries = entries;
    this.contenders = contenders;
    this.originals = originals;
    this.readAhead = readAhead;
    this.disk = disk;
    this.time = time;
    entries.forEach(entry -> samples.put(entry, new ReadSamples(entry.what())));
  }

  /** Measures everything in at most the given number of rounds. */
  void run(int rounds, Progress progress, Consumer<List<ReadRow>> soFar) {
    int skipped = 0;
    for (int round = 0; round < rounds; round++) {
      String label = "read, round %d of %d".formatted(round + 1, rounds);
      try (Progress.Task task = progress.start(label, entries.size(), "comparisons")) {
        for (int i = 0; i < entries.size(); i++) {
          ReadPlan.Entry entry = entries.get(i);
          if (hasTime(entry)) {
            round(entry, round);
            soFar.accept(rows());
          } else {
            skipped++;
          }
          task.advanceTo(i + 1L, entry.what().toString());
        }
      }
    }
    if (skipped > 0) {
      remarks.add(
          "%d of %d further rounds of comparisons, which would not have ended within %d s"
              .formatted(skipped, (rounds - 1) * entries.size(), time.toSeconds()));
    }
  }

  /** How long it has been running. */
  double elapsed() {
    return (System.nanoTime() - began) / 1e9;
  }

  /** Whether a comparison, by what it took in the round before, ends in time. */
  private boolean hasTime(ReadPlan.Entry entry) {
    Double last = lastSeconds.get(entry);
    return last == null || elapsed() + last <= time.toSeconds();
  }

  List<ReadRow> rows() {
    return samples.values().stream().flatMap(sample -> sample.rows().stream()).toList();
  }

  /** What was left out and why. */
  List<String> remarks() {
    return remarks;
  }

  /** The contenders that failed, and why. */
  List<String> failures() {
    return failures;
  }

  private void round(ReadPlan.Entry entry, int round) {
    double before = elapsed();
    readAhead.set(entry.what().readAhead());
    // Read again, in order: how large the page cache's pages are depends on how they came.
    entry.what().database().cool();
    for (String name : entry.contenders(round)) {
      attempt(entry.what(), contenders.get(name))
          .ifPresent(outcome -> samples.get(entry).add(name, outcome));
    }
    lastSeconds.put(entry, elapsed() - before);
  }

  /** One contender's run; if it fails, the others go on. Wrong records end everything. */
  private Optional<ReadOutcome> attempt(ReadCase what, ReadContender contender) {
    ReadOutcome outcome;
    try {
      outcome = one(what, contender);
    } catch (WorkFailedException e) {
      failures.add("%s, %s: %s".formatted(contender.name(), what, e.getMessage()));
      return Optional.empty();
    }
    if (contender.hashes()) {
      compare(what, contender.name(), outcome);
    }
    return Optional.of(outcome);
  }

  /** One contender's run, with the page cache as the case wants it. */
  private ReadOutcome one(ReadCase what, ReadContender contender) {
    ReadDatabase original = originals.get(what.database());
    if (original != null) {
      // What a mounted database costs is the wait for each request, not the disk under it.
      original.index(true);
      original.warm();
    }
    contender.prepare(what);
    if (what.warm()) {
      what.database().warm();
    } else {
      what.database().cool();
    }
    try (ControlGroup group = ControlGroup.with("bench", what.access().limits(disk))) {
      return contender.run(what, group);
    }
  }

  private void compare(ReadCase what, String contender, ReadOutcome outcome) {
    Long expected = checksums.putIfAbsent(what.work(), outcome.checksum());
    String first = checksumFrom.putIfAbsent(what.work(), contender);
    if (outcome.records() != what.records()
        || (expected != null && expected != outcome.checksum())) {
      throw new WorkFailedException(
          "%s read other records than %s: %d records with checksum %016x instead of %d with %016x (%s)"
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
