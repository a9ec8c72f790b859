package dev.tandem.bench.read;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Measures comparisons: each once with all its contenders, then each in as many further rounds as a
 * {@link ReadSchedule} has time for, one after the other. So the contenders of a comparison meet
 * the same moods of the storage, and a slow minute does not decide what is compared with what.
 * Contenders take turns, in every second round the other way round.
 */
final class ReadRounds {

  private final List<ReadPlan.Entry> entries;
  private final Map<String, ReadContender> contenders;
  private final Map<ReadDatabase, ReadDatabase> behind;
  private final ReadAhead readAhead;
  private final DiskDevice disk;
  private final ReadSchedule schedule;
  private final Map<ReadPlan.Entry, ReadSamples> samples = new LinkedHashMap<>();
  private final List<String> remarks = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private final Map<String, Long> checksums = new HashMap<>();
  private final Map<String, String> checksumFrom = new HashMap<>();

  /**
   * @param contenders by name
   * @param behind the originals of databases that are read through a mounted filesystem
   */
  ReadRounds(
      List<ReadPlan.Entry> entries,
      Map<String, ReadContender> contenders,
      Map<ReadDatabase, ReadDatabase> behind,
      ReadAhead readAhead,
      DiskDevice disk,
      ReadSchedule schedule) {
    this.entries = entries;
    this.contenders = contenders;
    this.behind = behind;
    this.readAhead = readAhead;
    this.disk = disk;
    this.schedule = schedule;
    entries.forEach(entry -> samples.put(entry, new ReadSamples(entry.what())));
  }

  /** Measures everything, at most so many rounds. */
  void run(int most, Progress progress, Consumer<List<ReadRow>> soFar) {
    String first = "everybody once, about %.1f min".formatted(schedule.expected(entries, 0) / 60);
    try (Progress.Task task = progress.start(first, runs(entries, 0), "runs")) {
      long done = 0;
      for (ReadPlan.Entry entry : entries) {
        done = round(entry, 0, task, done);
        soFar.accept(rows());
      }
    }
    if (most > 1) {
      String again =
          "up to %d rounds more, %.1f min at most".formatted(most - 1, schedule.left() / 60);
      try (Progress.Task task = progress.start(again, (most - 1) * runs(entries, 1), "runs")) {
        again(most, task, soFar);
      }
    }
  }

  private static long runs(List<ReadPlan.Entry> entries, int round) {
    return entries.stream().mapToLong(entry -> entry.contenders(round).size()).sum();
  }

  private void again(int most, Progress.Task task, Consumer<List<ReadRow>> soFar) {
    Map<ReadPlan.Entry, Integer> further = schedule.furtherRounds(entries, most);
    long done = 0;
    int fewer = 0;
    for (ReadPlan.Entry entry : entries) {
      int rounds = 1;
      while (rounds <= further.getOrDefault(entry, 0) && schedule.hasTime(entry, rounds)) {
        done = round(entry, rounds++, task, done);
      }
      if (rounds < most) {
        fewer++;
        done += (long) (most - rounds) * entry.contenders(1).size();
      }
      soFar.accept(rows());
    }
    if (fewer > 0) {
      remarks.add(
          "some of %d rounds of %d comparisons, which would not have ended within %d s"
              .formatted(most, fewer, schedule.time().toSeconds()));
    }
  }

  List<ReadRow> rows() {
    return samples.values().stream().flatMap(sample -> sample.rows().stream()).toList();
  }

  /** What was left out and why. */
  List<String> remarks() {
    return remarks;
  }

  /** Who could not do his work. */
  List<String> failures() {
    return failures;
  }

  /** Returns how many runs are done after it, if so many were before. */
  private long round(ReadPlan.Entry entry, int round, Progress.Task task, long doneBefore) {
    long done = doneBefore;
    readAhead.set(entry.what().readAhead());
    // Read in anew, in order: how large the page cache's pages are depends on how they came.
    entry.what().database().cool();
    for (String name : entry.contenders(round)) {
      double before = schedule.elapsed();
      attempt(entry.what(), contenders.get(name))
          .ifPresent(outcome -> samples.get(entry).add(name, outcome));
      schedule.took(entry, name, schedule.elapsed() - before);
      task.advanceTo(++done, name + ": " + entry.what());
    }
    return done;
  }

  /** One contender's run; if it ends badly, the others go on. Wrong records end everything. */
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
