package dev.tandem.board;

import dev.tandem.core.UsageException;
import dev.tandem.tune.journal.JournalRecord;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.space.SpaceYaml;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.Report;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A journal read as trials with their attempts. */
final class StudyRecords {

  private static final class Entry {
    private Map<String, Object> params = Map.of();
    private final TreeMap<Integer, JournalRecord.Started> started = new TreeMap<>();
    private final TreeMap<Integer, JournalRecord.Ended> ended = new TreeMap<>();
    private final List<Report> reports = new ArrayList<>();
    private long saved = Long.MIN_VALUE;
    private int reporting = -1;
    private long pausedAt = -1;
  }

  private static final class Rung {
    private int paused;
    private int continued;
    private double best = Double.NaN;
  }

  private final TreeMap<Long, Entry> entries = new TreeMap<>();
  private final TreeMap<Long, Rung> rungs = new TreeMap<>();
  private final List<JournalRecord.Lineage> lineage = new ArrayList<>();
  private JournalRecord.Study study;
  private Space space;
  private String stop = "";

  StudyRecords(List<JournalRecord> records) {
    records.forEach(this::take);
    if (study == null) {
      throw new UsageException("the journal does not begin with a study");
    }
  }

  private Entry entry(long trial) {
    return entries.computeIfAbsent(trial, number -> new Entry());
  }

  private void take(JournalRecord record) {
    switch (record) {
      case JournalRecord.Study first -> {
        study = first;
        space = SpaceYaml.read(first.space(), key -> "");
      }
      case JournalRecord.Asked asked -> entry(asked.trial()).params = asked.params();
      case JournalRecord.Lineage taken -> {
        lineage.add(taken);
        entry(taken.trial()).params = taken.params();
        entry(taken.trial()).saved = taken.step();
        continued(entry(taken.trial()));
      }
      case JournalRecord.Started started ->
          entry(started.trial()).started.put(started.attempt(), started);
      case JournalRecord.Reported reported -> report(reported);
      case JournalRecord.Ended ended -> {
        entry(ended.trial()).ended.put(ended.attempt(), ended);
        if (ended.state().equals(TrialState.PAUSED.name())) {
          paused(entry(ended.trial()));
        }
      }
      case JournalRecord.SpaceChanged changed -> space = SpaceYaml.read(changed.space(), key -> "");
      case JournalRecord.Stopped stopped -> stop = stopped.reason();
      case JournalRecord.Continued continued -> continued(entry(continued.trial()));
      case JournalRecord.Driver any -> {}
      case JournalRecord.CheckpointSaved saved -> entry(saved.trial()).saved = saved.step();
    }
  }

  private void continued(Entry entry) {
    Rung rung = rungs.get(entry.pausedAt);
    if (rung != null) {
      rung.continued++;
    }
  }

  private void paused(Entry entry) {
    if (entry.reports.isEmpty()) {
      return;
    }
    Report last = entry.reports.getLast();
    entry.pausedAt = last.step();
    Rung rung = rungs.computeIfAbsent(last.step(), step -> new Rung());
    rung.paused++;
    if (Double.isNaN(rung.best) || direction().better(last.value(), rung.best)) {
      rung.best = last.value();
    }
  }

  /** The steps at which trials were paused. */
  List<StudyPage.Rung> rungs() {
    List<StudyPage.Rung> all = new ArrayList<>();
    rungs.forEach(
        (step, rung) ->
            all.add(
                new StudyPage.Rung(
                    step,
                    rung.paused,
                    rung.continued,
                    Double.isFinite(rung.best) ? rung.best : null)));
    return all;
  }

  /** Which trials went on from checkpoints of others, in order. */
  List<StudyPage.Takeover> takeovers() {
    return lineage.stream()
        .map(
            each -> new StudyPage.Takeover(each.trial(), each.parent(), each.step(), each.params()))
        .toList();
  }

  private void report(JournalRecord.Reported reported) {
    Double value = reported.metrics().get(study.metric());
    if (value == null) {
      return;
    }
    Entry entry = entry(reported.trial());
    if (reported.attempt() != entry.reporting) {
      entry.reports.removeIf(report -> report.step() > entry.saved);
      entry.reporting = reported.attempt();
    }
    entry.reports.add(new Report(reported.step(), value));
  }

  JournalRecord.Study study() {
    return study;
  }

  Space space() {
    return space;
  }

  String stop() {
    return stop;
  }

  Direction direction() {
    return study.direction().startsWith("max") || study.direction().startsWith("MAX")
        ? Direction.MAXIMIZE
        : Direction.MINIMIZE;
  }

  /** All trials by number. */
  List<Trial> trials() {
    List<Trial> trials = new ArrayList<>();
    entries.forEach((number, entry) -> trials.add(trial(number, entry)));
    return trials;
  }

  private static Trial trial(long number, Entry entry) {
    JournalRecord.Ended end = entry.ended.isEmpty() ? null : entry.ended.lastEntry().getValue();
    boolean over =
        end != null
            && !end.state().equals(JournalRecord.Ended.RETRIED)
            && (entry.started.isEmpty() || entry.started.lastKey() <= end.attempt());
    TrialState state = TrialState.WAITING;
    if (over) {
      state = TrialState.valueOf(end.state());
    } else if (!entry.started.isEmpty()) {
      state = TrialState.RUNNING;
    }
    return new Trial(
        number,
        Parameters.of(entry.params),
        state,
        over ? end.value() : Double.NaN,
        entry.reports,
        over && end.diverged(),
        over ? end.reason() : "",
        over ? end.seconds() : 0);
  }
}
