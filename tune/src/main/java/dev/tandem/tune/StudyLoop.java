package dev.tandem.tune;

import dev.tandem.core.Seed;
import dev.tandem.tune.StudySettings.Order;
import dev.tandem.tune.journal.Journal;
import dev.tandem.tune.journal.JournalRecord;
import dev.tandem.tune.prune.Pruner;
import dev.tandem.tune.prune.Schedule;
import dev.tandem.tune.sample.Sampler;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.task.Call;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.TaskHandle;
import dev.tandem.tune.task.TaskId;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Report;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Drives one study: asks, starts, listens, records, stops. One thread, which calls {@link #run}.
 */
public final class StudyLoop {

  /** How long records may wait for a sync that nothing else needs. */
  private static final Duration RIDING = Duration.ofSeconds(1);

  /** Makes the thread look whether it is to stop. */
  private static final JournalRecord WAKE = new JournalRecord.Stopped("", -1);

  private final StudySettings settings;
  private final TrialPlan plan;
  private final Sampler sampler;
  private final Pruner pruner;
  private final TrialWork work;
  private final PatientJournal journal;
  private final StudyState state;
  private final TaskEngine engine;
  private final StudyWatcher watcher;

  private final BlockingQueue<JournalRecord> events = new LinkedBlockingQueue<>();
  private final Map<Long, TaskHandle> running = new LinkedHashMap<>();

  /** What trials wait for, by their numbers; any thread. */
  private final Map<Long, String> waiting = new ConcurrentSkipListMap<>();

  /** Checkpoints that trials which run began with. */
  private final Map<Long, String> resumed = new HashMap<>();

  private final Deque<Long> again = new ArrayDeque<>();
  private final StopRules.Watch rules;
  private final CheckpointRetention retention;
  private final Optional<Schedule> schedule;
  private final VisibleTrials visible;
  private final AtomicBoolean saves = new AtomicBoolean();
  private final long began = System.nanoTime();
  private int ruled;
  private boolean exhausted;
  private Optional<String> lacksRoom = Optional.empty();
  private String reason = "";
  private volatile boolean interrupted;

  /**
   * A loop.
   *
   * @param state what the journal says already; changed by this loop alone from now on
   */
  public StudyLoop(
      StudySettings settings,
      TrialPlan plan,
      Sampler sampler,
      Pruner pruner,
      TrialWork work,
      Journal journal,
      StudyState state,
      TaskEngine engine,
      StudyWatcher watcher) {
    plan.requirePossible(settings);
    this.settings = settings;
    this.plan = plan;
    this.sampler = sampler;
    this.pruner = pruner;
    this.work = work;
    this.journal = new PatientJournal(journal, watcher);
    this.state = state;
    this.engine = engine;
    this.watcher = watcher;
    this.retention = new CheckpointRetention(plan.storage(), settings.direction(), watcher::note);
    this.rules = plan.stop().new Watch(settings.direction());
    this.schedule = pruner instanceof Schedule each ? Optional.of(each) : Optional.empty();
    this.visible = new VisibleTrials(settings, state, schedule);
    for (long trial = 0; trial < state.asked(); trial++) {
      requeue(trial);
    }
  }

  /** A trial that had begun goes on, unless it had come to where it is to be paused. */
  private void requeue(long trial) {
    saves.compareAndSet(false, state.checkpoint(trial).isPresent());
    if (state.ended(trial) || state.trial(trial).state() == TrialState.PAUSED) {
      return;
    }
    long until = until(trial);
    long saved = state.checkpoint(trial).map(JournalRecord.CheckpointSaved::step).orElse(-1L);
    Optional<Report> there =
        state.trial(trial).reports().stream()
            .filter(report -> report.step() >= until && report.step() <= saved)
            .findFirst();
    if (there.isPresent()) {
      record(
          TrialEvents.ended(
              trial,
              state.attempts(trial),
              new Outcome.Paused(there.get().step()),
              false,
              there.get().value(),
              0,
              Double.NaN));
    } else {
      again.add(trial);
    }
  }

  /** Asks the loop to end what runs and to return; any thread. */
  public void interrupt() {
    // Once: a loop that is woken again and again would never find that nothing has happened.
    if (!interrupted) {
      interrupted = true;
      events.add(WAKE);
    }
  }

  /** Runs the study to its end. */
  public StudyEnd run() throws InterruptedException {
    applyRules();
    while (true) {
      if (interrupted || !reason.isEmpty()) {
        lacksRoom = Optional.empty();
        running.values().forEach(TaskHandle::cancel);
      } else {
        startTrials();
      }
      if (running.isEmpty() && events.isEmpty() && lacksRoom.isEmpty()) {
        break;
      }
      take();
      watcher.changed(state, running.size(), waiting);
    }
    finish();
    return new StudyEnd(state, interrupted && reason.isEmpty(), reason);
  }

  private void startTrials() {
    startWaiting();
    while (running.size() < plan.workers() && again.isEmpty() && mayStart() && goOn(false)) {
      startWaiting();
    }
    while (running.size() < plan.workers()
        && mayStart()
        && state.asked() < plan.trials()
        && room(state.asked())
        && ask()) {
      start(state.asked() - 1L);
    }
    while (running.isEmpty() && events.isEmpty() && mayStart() && goOn(true)) {
      startWaiting();
    }
  }

  private void startWaiting() {
    while (running.size() < plan.workers() && !again.isEmpty() && room(again.peek())) {
      start(again.remove());
    }
  }

  private boolean mayStart() {
    return !journal.diskFull() && reason.isEmpty() && !interrupted;
  }

  /** Lets paused trials go on, if there are any that may; false if there are none. */
  private boolean goOn(boolean last) {
    if (schedule.isEmpty() || state.paused().isEmpty()) {
      return false;
    }
    List<Trial> trials = new ArrayList<>();
    for (long trial = 0; trial < state.asked(); trial++) {
      trials.add(state.trial(trial));
    }
    List<Schedule.Continuation> going = schedule.get().next(trials, settings.direction(), last);
    for (Schedule.Continuation each : going) {
      record(new JournalRecord.Continued(each.trial(), each.until()));
      again.add(each.trial());
    }
    return !going.isEmpty();
  }

  /** The step at which a trial is to be paused. */
  private long until(long trial) {
    long said = state.until(trial);
    return schedule.isEmpty() ? Schedule.NEVER : said > 0 ? said : schedule.get().after(0);
  }

  /** Keeps a record that nothing depends on before the next sync. */
  private void record(JournalRecord record) {
    journal.append(record);
    synchronized (state) {
      state.apply(record);
    }
  }

  /** Whether the folder of trials has room for another; says so when that changes. */
  private boolean room(long trial) {
    Optional<String> missing = plan.storage().missingRoom();
    missing.ifPresentOrElse(what -> waiting.put(trial, what), () -> waiting.remove(trial));
    if (missing.isPresent() != lacksRoom.isPresent()) {
      watcher.note(
          missing
              .map(what -> "no trial starts until there is " + what)
              .orElse("there is room for trials again"));
    }
    lacksRoom = missing;
    return missing.isEmpty();
  }

  /** Asks for the next parameters; false if it is too early or there are none. */
  private boolean ask() {
    int next = state.asked();
    List<Long> open = new ArrayList<>(running.keySet());
    open.addAll(again);
    Optional<History> history = visible.forSuggestion(next, open);
    if (exhausted || history.isEmpty()) {
      return false;
    }
    Optional<Parameters> parameters =
        next < plan.first().size()
            ? Optional.of(plan.first().get(next))
            : sampler.suggest(settings.space(), history.get(), settings.seed(), next);
    if (parameters.isEmpty()) {
      exhausted = true;
      return false;
    }
    record(
        new JournalRecord.Asked(next, parameters.get().values(), history.get().ended().size(), 0));
    return true;
  }

  /** What a decision about a trial may use; any thread. */
  private History decisionHistory(long trial) {
    synchronized (state) {
      return visible.forDecision(trial);
    }
  }

  private void start(long number) {
    Optional<JournalRecord.CheckpointSaved> checkpoint = state.checkpoint(number);
    Trial trial = state.trial(number);
    Pauses pauses = new Pauses(schedule, saves, until(number));
    Call call =
        new Call(
            trial.parameters(),
            settings.metric(),
            trialSeed(settings.seed(), number),
            pauses.budget() > 0 ? pauses.budget() : plan.budget(),
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
            () -> decisionHistory(number),
            events::add,
            watcher::note,
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
                    events.add(
                        TrialEvents.ended(number, 0, outcome, false, Double.NaN, 0, Double.NaN));
                  }
                });
  }

  static Seed trialSeed(Seed study, long trial) {
    return study.derive("trial").derive(trial);
  }

  /** Takes all that has happened, makes it safe, and only then counts it. */
  private void take() throws InterruptedException {
    JournalRecord first = events.poll(RIDING.toMillis(), TimeUnit.MILLISECONDS);
    List<JournalRecord> batch = new ArrayList<>();
    if (first != null) {
      batch.add(first);
      events.drainTo(batch);
    }
    List<JournalRecord> counting = new ArrayList<>();
    boolean durable = first == null;
    for (JournalRecord record : batch) {
      if (counts(record)) {
        journal.append(record);
        counting.add(record);
        durable |= record.durable();
      }
    }
    if (durable) {
      journal.sync();
    }
    synchronized (state) {
      counting.forEach(state::apply);
    }
    counting.forEach(this::removeOldCheckpoints);
    applyRules();
  }

  private void removeOldCheckpoints(JournalRecord record) {
    if (record instanceof JournalRecord.CheckpointSaved saved && !journal.diskFull()) {
      // From now on the trial goes on from this one.
      resumed.remove(saved.trial());
      retention.apply(state, saved.trial(), Set.copyOf(resumed.values()));
    }
  }

  /** Whether a record says something new; notices which trials have ended. */
  private boolean counts(JournalRecord record) {
    if (record.equals(WAKE)) {
      return false;
    }
    if (!(record instanceof JournalRecord.Ended ended)
        || ended.state().equals(JournalRecord.Ended.RETRIED)) {
      return true;
    }
    boolean first = running.remove(ended.trial()) != null;
    waiting.remove(ended.trial());
    resumed.remove(ended.trial());
    // What was interrupted is not over: it is run again when the study is resumed.
    return first && !(interrupted && ended.state().equals("CANCELLED"));
  }

  private void applyRules() {
    boolean fixed = settings.order() == Order.FIXED;
    int known = fixed ? state.byNumber().size() : state.byArrival().size();
    while (ruled < known && reason.isEmpty()) {
      Trial trial = (fixed ? state.byNumber() : state.byArrival()).first(ruled + 1).get(ruled);
      ruled++;
      rules.after(trial).ifPresent(why -> stop(why, fixed ? trial.number() + 1 : state.asked()));
    }
    boolean late =
        plan.stop().time().filter(time -> System.nanoTime() - began > time.toNanos()).isPresent();
    if (late && reason.isEmpty() && !(running.isEmpty() && state.asked() >= plan.trials())) {
      stop("its time is over", state.asked());
    }
  }

  private void stop(String why, long trials) {
    reason = why;
    record(new JournalRecord.Stopped(why, trials));
    journal.sync();
  }

  private void finish() {
    journal.finish();
    if (exhausted && reason.isEmpty()) {
      reason = "the sampler has nothing left to try";
    }
  }
}
