package dev.tandem.tune.graph;

import dev.tandem.tune.StudySession;
import dev.tandem.tune.StudyState;
import dev.tandem.tune.journal.JournalRecord;
import dev.tandem.tune.task.Ending;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.TaskId;
import dev.tandem.tune.trial.TrialState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The journal of a graph, which is that of a study whose trials are the tasks. Thread-safe. */
final class GraphJournal {

  /** The parameter of the study that is the name of a task. */
  static final String TASK = "task";

  private final StudySession session;
  private final TaskNames names;

  GraphJournal(StudySession session) {
    this.session = session;
    StudyState state = session.state();
    List<String> known = new ArrayList<>();
    for (int number = 0; number < state.asked(); number++) {
      known.add(String.valueOf(state.trial(number).parameters().values().get(TASK)));
    }
    names = new TaskNames(session.settings().name(), known);
  }

  /** The names of tasks, of those that were there before first. */
  TaskNames names() {
    return names;
  }

  /** Keeps which tasks there are now. */
  synchronized void keepNames() {
    for (int number = session.state().asked(); number < names.count(); number++) {
      record(new JournalRecord.Asked(number, Map.of(TASK, names.of(number)), 0, 0));
    }
  }

  synchronized void record(JournalRecord record) {
    session.state().apply(record);
    session.journal().append(record);
  }

  /** The same, safe on return. */
  synchronized void keep(JournalRecord record) {
    record(record);
    session.journal().sync();
  }

  synchronized boolean completed(TaskId id) {
    return session.state().trial(id.number()).state() == TrialState.COMPLETE;
  }

  /** How many attempts a task had. */
  synchronized int attempts(TaskId id) {
    return session.state().attempts(id.number());
  }

  /** How long the last took. */
  synchronized double seconds(TaskId id) {
    return session.state().trial(id.number()).seconds();
  }

  /** The record of an end. */
  JournalRecord.Ended ended(TaskId id, int attempt, Outcome outcome, Optional<Ending> ending) {
    boolean retried = ending.filter(Ending::retried).isPresent();
    TrialState state =
        switch (outcome) {
          case Outcome.Completed any -> TrialState.COMPLETE;
          case Outcome.Failed any -> TrialState.FAILED;
          case Outcome.TimedOut any -> TrialState.TIMED_OUT;
          case Outcome.Lost any -> TrialState.LOST;
          case Outcome.Cancelled any -> TrialState.CANCELLED;
          case Outcome.Skipped any -> TrialState.CANCELLED;
          case Outcome.Stopped any -> TrialState.PRUNED;
          case Outcome.Paused any -> TrialState.PAUSED;
        };
    return new JournalRecord.Ended(
        id.number(),
        attempt,
        retried ? JournalRecord.Ended.RETRIED : state.name(),
        outcome instanceof Outcome.Completed(double value) ? value : Double.NaN,
        false,
        names.in(outcome.explanation()),
        ending.map(Ending::seconds).orElse(0.0),
        ending.map(Ending::processorSeconds).orElse(Double.NaN),
        Instant.now().toEpochMilli());
  }
}
