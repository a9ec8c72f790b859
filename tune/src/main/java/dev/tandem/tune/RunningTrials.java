package dev.tandem.tune;

import dev.tandem.core.Seed;
import dev.tandem.tune.journal.JournalRecord;
import dev.tandem.tune.local.TakenCheckpoint;
import dev.tandem.tune.prune.Pruner;
import dev.tandem.tune.task.Call;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.TaskHandle;
import dev.tandem.tune.task.TaskId;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/** The trials that an engine has now. One thread, except where a method says otherwise. */
final class RunningTrials {

  private final StudySettings settings;
  private final TrialPlan plan;
  private final Pruner pruner;
  private final TrialWork work;
  private final StudyState state;
  private final TaskEngine engine;
  private final Map<Long, TaskHandle> running = new LinkedHashMap<>();

  /** What trials wait for, by their numbers; any thread. */
  private final Map<Long, String> waiting = new ConcurrentSkipListMap<>();

  /** Checkpoints that trials which run began with. */
  private final Map<Long, String> resumed = new HashMap<>();

  RunningTrials(
      StudySettings settings,
      TrialPlan plan,
      Pruner pruner,
      TrialWork work,
      StudyState state,
      TaskEngine engine) {
    this.settings = settings;
    this.plan = plan;
    this.pruner = pruner;
    this.work = work;
    this.state = state;
    this.engine = engine;
  }

  /**
   * Starts a trial, from its last checkpoint if it has one.
   *
   * @param history what a decision about a trial may use; any thread
   * @param records hears what happens; any thread
   * @param notes hears lines for the user; any thread
   */
  void start(
      long number,
      Pauses pauses,
      LongFunction<History> history,
      Consumer<JournalRecord> records,
      Consumer<String> notes) {
    long budget = pauses.budget() > 0 ? pauses.budget() : plan.budget();
    Optional<JournalRecord.CheckpointSaved> checkpoint = checkpoint(number, budget);
    Trial trial = state.trial(number);
    Call call =
        new Call(
            trial.parameters(),
            settings.metric(),
            seed(settings.seed(), number),
            budget,
            checkpoint.map(JournalRecord.CheckpointSaved::path).orElse(""),
            plan.folder(number));
    Task task =
        new Task(
            new TaskId(settings.name(), number),
            work.of(call),
            plan.limits(),
            plan.retries(),
            plan.inputs(),
            state.attempts(number) + 1);
    TrialEvents listener =
        new TrialEvents(
            trial,
            settings.metric(),
            pruner,
            pruner,
            () -> history.apply(number),
            records,
            notes,
            checkpoint.map(JournalRecord.CheckpointSaved::step).orElse(Long.MIN_VALUE),
            what ->
                what.ifPresentOrElse(
                    text -> waiting.put(number, text), () -> waiting.remove(number)),
            pauses);
    checkpoint.ifPresent(from -> resumed.put(number, from.path()));
    TaskHandle handle = engine.submit(task, listener);
    running.put(number, handle);
    var _ =
        handle
            .outcome()
            .thenAccept(
                outcome -> {
                  // A task that never started has told the listener nothing.
                  if (!listener.toldEnd()) {
                    records.accept(
                        TrialEvents.ended(number, 0, outcome, false, Double.NaN, 0, Double.NaN));
                  }
                });
  }

  /**
   * The last checkpoint from which something is left to do. One of the last step itself is passed
   * over: its driver ended before it heard what the trial has there, which would not be said again.
   */
  private Optional<JournalRecord.CheckpointSaved> checkpoint(long trial, long budget) {
    return state.checkpoints(trial).reversed().stream()
        .filter(each -> budget == 0 || each.step() < budget)
        .filter(each -> TakenCheckpoint.there(Path.of(each.path())))
        .findFirst();
  }

  /** The seed of a trial. */
  static Seed seed(Seed study, long trial) {
    return study.derive("trial").derive(trial);
  }

  /** Asks all to end. */
  void cancel() {
    running.values().forEach(TaskHandle::cancel);
  }

  /** A trial has ended; false if that was known. */
  boolean ended(long trial) {
    waiting.remove(trial);
    resumed.remove(trial);
    return running.remove(trial) != null;
  }

  /** A trial saved a checkpoint: from now on it goes on from that one. */
  void saved(long trial) {
    resumed.remove(trial);
  }

  /** The checkpoints that trials which run began with, unless they have saved others. */
  Set<String> checkpointsInUse() {
    return Set.copyOf(resumed.values());
  }

  int size() {
    return running.size();
  }

  /** Their numbers. */
  List<Long> numbers() {
    return List.copyOf(running.keySet());
  }

  /** What trials wait for, by their numbers; any thread may change it. */
  Map<Long, String> waiting() {
    return waiting;
  }
}
