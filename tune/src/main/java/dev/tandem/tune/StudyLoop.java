package dev.tandem.tune;

import dev.tandem.tune.StudySettings.Order;
import dev.tandem.tune.journal.Journal;
import dev.tandem.tune.journal.JournalRecord;
import dev.tandem.tune.prune.Pruner;
import dev.tandem.tune.sample.Sampler;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

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
  private final PatientJournal journal;
  private final StudyState state;
  private final StudyWatcher watcher;

  private final BlockingQueue<JournalRecord> events = new LinkedBlockingQueue<>();
  private final RunningTrials running;
  private final Deque<Long> again = new ArrayDeque<>();
  private final StopRules.Watch rules;
  private final CheckpointRetention retention;
  private final Continuations continuations;
  private final DiskRoom room;
  private final VisibleTrials visible;
  private final long began = System.nanoTime();
  private int ruled;
  private boolean exhausted;
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
    plan.requirePossible(settings, pruner);
    this.settings = settings;
    this.plan = plan;
    this.sampler = sampler;
    this.journal = new PatientJournal(journal, watcher);
    this.state = state;
    this.watcher = watcher;
    this.running = new RunningTrials(settings, plan, pruner, work, state, engine);
    this.retention = new CheckpointRetention(plan.storage(), settings.direction(), watcher::note);
    this.rules = plan.stop().new Watch(settings.direction());
    this.continuations =
        new Continuations(pruner, settings.direction(), plan, state, watcher::note);
    this.room = new DiskRoom(plan.storage(), running.waiting(), watcher::note);
    this.visible = new VisibleTrials(settings, state, continuations.possible());
    for (long trial = 0; trial < state.asked(); trial++) {
      requeue(trial);
    }
  }

  /** A trial that had begun goes on, unless it had come to where it is to be paused. */
  private void requeue(long trial) {
    if (state.ended(trial) || state.trial(trial).state() == TrialState.PAUSED) {
      return;
    }
    continuations
        .pausedAt(trial)
        .ifPresentOrElse(
            report ->
                record(
                    TrialEvents.ended(
                        trial,
                        state.attempts(trial),
                        new Outcome.Paused(report.step()),
                        false,
                        report.value(),
                        0,
                        Double.NaN)),
            () -> again.add(trial));
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
        room.ignore();
        running.cancel();
      } else {
        startTrials();
      }
      if (running.size() == 0 && events.isEmpty() && !room.lacking()) {
        break;
      }
      take();
      watcher.changed(state, running.size(), running.waiting());
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
        && room.enough(state.asked())
        && ask()) {
      start(state.asked() - 1L);
    }
    while (running.size() == 0 && events.isEmpty() && mayStart() && goOn(true)) {
      startWaiting();
    }
  }

  private void startWaiting() {
    while (running.size() < plan.workers() && !again.isEmpty() && room.enough(again.peek())) {
      start(again.remove());
    }
  }

  private boolean mayStart() {
    return !journal.diskFull() && reason.isEmpty() && !interrupted;
  }

  /** Lets paused trials go on, if there are any that may; false if there are none. */
  private boolean goOn(boolean idle) {
    boolean complete = exhausted || state.asked() >= plan.trials();
    List<JournalRecord.GoesOn> going = continuations.next(complete, idle);
    for (JournalRecord.GoesOn each : going) {
      record(each);
      again.add(each.trial());
    }
    if (going.stream().anyMatch(JournalRecord::durable)) {
      journal.sync();
    }
    return !going.isEmpty();
  }

  /** Keeps a record that nothing depends on before the next sync. */
  private void record(JournalRecord record) {
    journal.append(record);
    synchronized (state) {
      state.apply(record);
    }
  }

  /** Asks for the next parameters; false if it is too early or there are none. */
  private boolean ask() {
    int next = state.asked();
    List<Long> open = new ArrayList<>(running.numbers());
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
    running.start(
        number, continuations.pauses(number), this::decisionHistory, events::add, watcher::note);
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
      running.saved(saved.trial());
      retention.apply(state, saved.trial(), running.checkpointsInUse());
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
    boolean first = running.ended(ended.trial());
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
    if (late && reason.isEmpty() && !(running.size() == 0 && state.asked() >= plan.trials())) {
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
      reason = "every point of the space has been tried";
    }
  }
}
