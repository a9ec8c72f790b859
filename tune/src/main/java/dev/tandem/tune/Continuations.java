package dev.tandem.tune;

import dev.tandem.core.TandemException;
import dev.tandem.tune.journal.JournalRecord;
import dev.tandem.tune.local.TakenCheckpoint;
import dev.tandem.tune.prune.Pruner;
import dev.tandem.tune.prune.Schedule;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.Report;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** When trials are paused, and how those that wait go on. One thread. */
final class Continuations {

  private final Optional<Schedule> schedule;
  private final Direction direction;
  private final TrialPlan plan;
  private final StudyState state;
  private final Consumer<String> notes;
  private final AtomicBoolean saves = new AtomicBoolean();

  Continuations(
      Pruner pruner,
      Direction direction,
      TrialPlan plan,
      StudyState state,
      Consumer<String> notes) {
    this.schedule = pruner instanceof Schedule each ? Optional.of(each) : Optional.empty();
    this.direction = direction;
    this.plan = plan;
    this.state = state;
    this.notes = notes;
    for (long trial = 0; trial < state.asked(); trial++) {
      saves.compareAndSet(false, state.checkpoint(trial).isPresent());
    }
  }

  /** Whether trials may be paused. */
  boolean possible() {
    return schedule.isPresent();
  }

  /** When a trial that starts now is paused. */
  Pauses pauses(long trial) {
    return new Pauses(schedule, saves, until(trial));
  }

  /** The step at which a trial is to be paused. */
  private long until(long trial) {
    long said = state.until(trial);
    return schedule.isEmpty() ? Schedule.NEVER : said > 0 ? said : schedule.get().after(0);
  }

  /** What a trial that had begun reported where it is to be paused, if it has saved that. */
  Optional<Report> pausedAt(long trial) {
    long until = until(trial);
    long saved = state.checkpoint(trial).map(JournalRecord.CheckpointSaved::step).orElse(-1L);
    return state.trial(trial).reports().stream()
        .filter(report -> report.step() >= until && report.step() <= saved)
        .findFirst();
  }

  /**
   * The records of the paused trials that go on now, in order; none if none may.
   *
   * @param complete whether no more trials will be asked for
   * @param idle whether nothing runs, nor can anything else begin
   */
  List<JournalRecord.GoesOn> next(boolean complete, boolean idle) {
    if (schedule.isEmpty() || state.paused().isEmpty()) {
      return List.of();
    }
    List<Trial> trials = new ArrayList<>();
    for (long trial = 0; trial < state.asked(); trial++) {
      trials.add(settled(state.trial(trial)));
    }
    List<JournalRecord.GoesOn> takeovers = new ArrayList<>();
    List<JournalRecord.GoesOn> others = new ArrayList<>();
    for (Schedule.Continuation each :
        schedule.get().next(new Schedule.Standing(trials, direction, complete, idle))) {
      each.takeover()
          .flatMap(takeover -> taken(each.trial(), takeover))
          .ifPresentOrElse(takeovers::add, () -> others.add(continued(each.trial())));
    }
    // A trial whose checkpoint is taken must not have gone on if what follows is lost in a crash.
    takeovers.addAll(others);
    return takeovers;
  }

  /** A trial as it stands; one that is about to be paused as if it had not come there yet. */
  private Trial settled(Trial trial) {
    if (trial.state() != TrialState.RUNNING) {
      return trial;
    }
    List<Report> reports = trial.reports();
    long until = until(trial.number());
    int before = (int) reports.stream().takeWhile(report -> report.step() < until).count();
    // It may go on a little before it ends; one that is not paused for want of checkpoints, longer.
    return before < reports.size() && (pauses() || before == reports.size() - 1)
        ? trial.running(reports.subList(0, before))
        : trial;
  }

  private boolean pauses() {
    return schedule.orElseThrow().always() || saves.get();
  }

  private JournalRecord.GoesOn continued(long trial) {
    long step = state.trial(trial).reports().getLast().step();
    return new JournalRecord.Continued(trial, schedule.orElseThrow().after(step));
  }

  /** Copies the checkpoint; none if it cannot be copied, perhaps because it is gone by now. */
  private Optional<JournalRecord.GoesOn> taken(long trial, Schedule.Takeover takeover) {
    Optional<JournalRecord.CheckpointSaved> from = state.checkpoint(takeover.parent());
    Optional<JournalRecord.CheckpointSaved> own = state.checkpoint(trial);
    if (from.isEmpty() || own.isEmpty()) {
      return Optional.empty();
    }
    Path folder = plan.folder(trial).resolve("taken-" + (state.lineage(trial).size() + 1));
    try {
      Path copy =
          TakenCheckpoint.copy(Path.of(from.get().path()), Path.of(own.get().path()), folder);
      return Optional.of(
          new JournalRecord.Lineage(
              trial,
              takeover.parent(),
              from.get().step(),
              copy.toString(),
              takeover.parameters().values(),
              schedule.orElseThrow().after(from.get().step())));
    } catch (TandemException e) {
      notes.accept(
          "trial %d goes on as it is instead of from trial %d: %s"
              .formatted(trial, takeover.parent(), e.getMessage()));
      return Optional.empty();
    }
  }
}
