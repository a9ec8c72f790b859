package dev.tandem.tune;

import dev.tandem.tune.journal.JournalRecord;
import dev.tandem.tune.prune.Decision;
import dev.tandem.tune.prune.Pruner;
import dev.tandem.tune.task.Attempt;
import dev.tandem.tune.task.Ending;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.TaskListener;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Report;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Hears of one trial's attempts: decides on reports at once, on the engine's thread, and passes
 * everything on as records.
 */
final class TrialEvents implements TaskListener {

  private final Trial asked;
  private final String metric;
  private final Pruner pruner;
  private final Object prunerLock;
  private final Supplier<History> history;
  private final Consumer<JournalRecord> records;
  private final Consumer<String> notes;
  private final List<Report> reports;
  private final long resumedFrom;
  private final Consumer<Optional<String>> waiting;
  private boolean begun;
  private final Pauses pauses;
  private volatile boolean ended;

  /**
   * A listener.
   *
   * @param asked the trial, with the reports it had before the checkpoint it goes on from
   * @param prunerLock held while the pruner decides
   * @param history what a decision may use
   * @param waiting hears what the trial waits for; nothing when it has started
   * @param pauses when the trial is to be paused
   */
  TrialEvents(
      Trial asked,
      String metric,
      Pruner pruner,
      Object prunerLock,
      Supplier<History> history,
      Consumer<JournalRecord> records,
      Consumer<String> notes,
      long resumedFrom,
      Consumer<Optional<String>> waiting,
      Pauses pauses) {
    this.asked = asked;
    this.metric = metric;
    this.pruner = pruner;
    this.prunerLock = prunerLock;
    this.history = history;
    this.records = records;
    this.notes = notes;
    this.reports = new ArrayList<>(asked.reports());
    this.resumedFrom = resumedFrom;
    this.waiting = waiting;
    this.pauses = pauses;
  }

  @Override
  public synchronized void waits(String what) {
    if (!begun) {
      waiting.accept(Optional.of(what));
    }
  }

  @Override
  public void started(Attempt attempt) {
    synchronized (this) {
      begun = true;
      waiting.accept(Optional.empty());
    }
    reports.removeIf(report -> report.step() > resumedFrom);
    records.accept(JournalRecord.Started.of(attempt));
  }

  @Override
  public Decision report(Attempt attempt, long step, Map<String, Double> metrics) {
    records.accept(new JournalRecord.Reported(asked.number(), attempt.number(), step, metrics));
    Double value = metrics.get(metric);
    if (value == null || pruner.equals(Pruner.NONE)) {
      return Decision.GO_ON;
    }
    reports.add(new Report(step, value));
    synchronized (prunerLock) {
      Optional<Decision> pause = pauses.at(step, value);
      if (pause.isPresent()) {
        return pause.get();
      }
      return pruner.decide(asked.running(reports), history.get());
    }
  }

  @Override
  public void checkpoint(Attempt attempt, long step, String path) {
    pauses.saved();
    records.accept(new JournalRecord.CheckpointSaved(asked.number(), step, path));
  }

  @Override
  public void note(Attempt attempt, String text) {
    notes.accept("trial %d: %s".formatted(asked.number(), text));
  }

  @Override
  public void ended(Attempt attempt, Ending ending) {
    ended = !ending.retried();
    records.accept(
        ended(
            asked.number(),
            attempt.number(),
            ending.outcome(),
            ending.retried(),
            lastValue(ending.outcome()),
            ending.seconds(),
            ending.processorSeconds()));
  }

  /** Whether the end of the task was told. */
  boolean toldEnd() {
    return ended;
  }

  /**
   * The last value that counts: of a paused trial that of its pause, though it went on a little.
   */
  private double lastValue(Outcome outcome) {
    long until = outcome instanceof Outcome.Paused(long step) ? step : Long.MAX_VALUE;
    double value = Double.NaN;
    for (Report report : reports) {
      if (report.step() <= until) {
        value = report.value();
      }
    }
    return value;
  }

  /** The record of an end. */
  static JournalRecord.Ended ended(
      long trial,
      int attempt,
      Outcome outcome,
      boolean retried,
      double lastValue,
      double seconds,
      double cpuSeconds) {
    TrialState state;
    double value = Double.NaN;
    boolean diverged = false;
    String reason = outcome.explanation();
    switch (outcome) {
      case Outcome.Completed completed -> {
        value = completed.value();
        diverged = !Double.isFinite(value);
        state = diverged ? TrialState.FAILED : TrialState.COMPLETE;
        reason = diverged ? "the metric is " + value : "";
      }
      case Outcome.Stopped any -> {
        state = TrialState.PRUNED;
        value = lastValue;
      }
      case Outcome.Paused any -> {
        state = TrialState.PAUSED;
        value = lastValue;
      }
      case Outcome.Failed any -> state = TrialState.FAILED;
      case Outcome.TimedOut any -> state = TrialState.TIMED_OUT;
      case Outcome.Lost any -> state = TrialState.LOST;
      case Outcome.Cancelled any -> state = TrialState.CANCELLED;
      case Outcome.Skipped any -> state = TrialState.CANCELLED;
    }
    return new JournalRecord.Ended(
        trial,
        attempt,
        retried ? JournalRecord.Ended.RETRIED : state.name(),
        value,
        diverged,
        reason,
        seconds,
        cpuSeconds,
        Instant.now().toEpochMilli());
  }
}
