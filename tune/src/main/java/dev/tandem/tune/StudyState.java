package dev.tandem.tune;

import dev.tandem.tune.journal.JournalRecord;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.EndedTrials;
import dev.tandem.tune.trial.Report;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a study stands after the records of its journal; the same records give the same state, while
 * a study runs and when it is read again. One thread at a time.
 */
public final class StudyState {

  /** How one trial stands. */
  private static final class Entry {
    private Trial trial;
    private int attempts;
    private long until;
    private final List<Report> reports = new ArrayList<>();
    private final List<JournalRecord.CheckpointSaved> checkpoints = new ArrayList<>();
    private final List<JournalRecord.Lineage> lineage = new ArrayList<>();
    private Optional<JournalRecord.Started> started = Optional.empty();

    Entry(Trial trial) {
      this.trial = trial;
    }
  }

  private final Direction direction;
  private final String metric;
  private final List<Entry> entries = new ArrayList<>();
  private final EndedTrials byNumber = new EndedTrials();
  private final EndedTrials byArrival = new EndedTrials();
  private final Map<TrialState, Integer> counts = new HashMap<>();
  private int paused;
  private Optional<Trial> best = Optional.empty();
  private Optional<JournalRecord.Stopped> stopped = Optional.empty();

  /** A study without trials. */
  public StudyState(Direction direction, String metric) {
    this.direction = direction;
    this.metric = metric;
  }

  /** The state after these records. */
  public static StudyState of(StudySettings settings, List<JournalRecord> records) {
    StudyState state = new StudyState(settings.direction(), settings.metric());
    records.forEach(state::apply);
    return state;
  }

  /** Takes one more record into account. */
  public void apply(JournalRecord record) {
    switch (record) {
      case JournalRecord.Asked asked -> asked(asked);
      case JournalRecord.Started started -> {
        Entry entry = entry(started.trial());
        entry.attempts = started.attempt();
        entry.started = Optional.of(started);
        long from =
            entry.checkpoints.isEmpty() ? Long.MIN_VALUE : entry.checkpoints.getLast().step();
        entry.reports.removeIf(report -> report.step() > from);
        entry.trial = entry.trial.running(entry.reports);
      }
      case JournalRecord.Reported reported -> {
        Double value = reported.metrics().get(metric);
        if (value != null) {
          entry(reported.trial()).reports.add(new Report(reported.step(), value));
        }
      }
      case JournalRecord.CheckpointSaved saved -> entry(saved.trial()).checkpoints.add(saved);
      case JournalRecord.Ended ended -> {
        if (!ended.state().equals(JournalRecord.Ended.RETRIED)) {
          ended(ended);
        }
      }
      case JournalRecord.Lineage lineage -> {
        Entry entry = entry(lineage.trial());
        entry.lineage.add(lineage);
        entry.checkpoints.add(
            new JournalRecord.CheckpointSaved(
                lineage.trial(), lineage.step(), lineage.checkpoint()));
        entry.reports.removeIf(report -> report.step() > lineage.step());
        entry.trial = Trial.waiting(lineage.trial(), Parameters.of(lineage.params()));
        continued(entry, lineage.until());
      }
      case JournalRecord.Continued continued ->
          continued(entry(continued.trial()), continued.until());
      case JournalRecord.Stopped stop -> stopped = Optional.of(stop);
      case JournalRecord.Study any -> {}
      case JournalRecord.Driver any -> {}
      case JournalRecord.SpaceChanged any -> {}
    }
  }

  private void continued(Entry entry, long until) {
    entry.until = until;
    entry.trial = entry.trial.running(entry.reports);
    paused--;
  }

  private void asked(JournalRecord.Asked asked) {
    if (asked.trial() != entries.size()) {
      throw new IllegalArgumentException(
          "trial %d was asked for after %d trials".formatted(asked.trial(), entries.size()));
    }
    entries.add(new Entry(Trial.waiting(asked.trial(), Parameters.of(asked.params()))));
  }

  private void ended(JournalRecord.Ended ended) {
    Entry entry = entry(ended.trial());
    if (entry.trial.state().ended()) {
      return;
    }
    if (ended.state().equals(TrialState.PAUSED.name())) {
      entry.trial =
          entry.trial.paused(entry.reports, ended.value(), ended.reason(), ended.seconds());
      paused++;
      return;
    }
    entry.trial =
        new Trial(
            ended.trial(),
            entry.trial.parameters(),
            TrialState.valueOf(ended.state()),
            ended.value(),
            entry.reports,
            ended.diverged(),
            ended.reason(),
            ended.seconds());
    counts.merge(entry.trial.state(), 1, Integer::sum);
    byArrival.add(entry.trial);
    while (byNumber.size() < entries.size() && entries.get(byNumber.size()).trial.state().ended()) {
      byNumber.add(entries.get(byNumber.size()).trial);
    }
    if (entry.trial.state() == TrialState.COMPLETE
        && !Double.isNaN(entry.trial.value())
        && best.filter(other -> !direction.better(entry.trial.value(), other.value())).isEmpty()) {
      best = Optional.of(entry.trial);
    }
  }

  private Entry entry(long trial) {
    return entries.get(Math.toIntExact(trial));
  }

  /** How many parameters were asked for. */
  public int asked() {
    return entries.size();
  }

  /** A trial as it stands, with the reports it has. */
  public Trial trial(long number) {
    Entry entry = entry(number);
    return entry.trial.state() == TrialState.RUNNING
        ? entry.trial.running(entry.reports)
        : entry.trial;
  }

  /** The trials that wait to be continued, by number. */
  List<Trial> paused() {
    return paused == 0
        ? List.of()
        : entries.stream()
            .map(entry -> entry.trial)
            .filter(trial -> trial.state() == TrialState.PAUSED)
            .toList();
  }

  /** The step at which a trial that was continued is to be paused; 0 if it never was. */
  long until(long number) {
    return entry(number).until;
  }

  /** All trials, by number; without those that a stop left out. */
  public List<Trial> trials() {
    int count =
        stopped.map(stop -> (int) Math.min(stop.trials(), entries.size())).orElse(entries.size());
    List<Trial> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(trial(i));
    }
    return all;
  }

  /** Whether nothing more comes of a trial. */
  public boolean ended(long number) {
    return entry(number).trial.state().ended();
  }

  /** How many attempts a trial had. */
  public int attempts(long number) {
    return entry(number).attempts;
  }

  /** The last checkpoint of a trial. */
  public Optional<JournalRecord.CheckpointSaved> checkpoint(long number) {
    List<JournalRecord.CheckpointSaved> all = entry(number).checkpoints;
    return all.isEmpty() ? Optional.empty() : Optional.of(all.getLast());
  }

  /** All checkpoints of a trial, in the order in which they were made; not all may be there. */
  public List<JournalRecord.CheckpointSaved> checkpoints(long number) {
    return List.copyOf(entry(number).checkpoints);
  }

  /** From which others' checkpoints a trial went on, in order. */
  public List<JournalRecord.Lineage> lineage(long number) {
    return List.copyOf(entry(number).lineage);
  }

  /** The last start of a trial. */
  public Optional<JournalRecord.Started> lastStart(long number) {
    return entry(number).started;
  }

  /** Trials that have ended with all before them, by number. */
  public EndedTrials byNumber() {
    return byNumber;
  }

  /** Trials that have ended, in that order. */
  public EndedTrials byArrival() {
    return byArrival;
  }

  /** How many trials have ended so. */
  public int count(TrialState state) {
    return counts.getOrDefault(state, 0);
  }

  /** The best complete trial; of equal ones the first to end. */
  public Optional<Trial> best() {
    return best;
  }

  /** Why the study has stopped, if it has. */
  public Optional<JournalRecord.Stopped> stopped() {
    return stopped;
  }
}
