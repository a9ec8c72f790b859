package dev.tandem.tune.graph;

import dev.tandem.tune.journal.JournalRecord;
import dev.tandem.tune.prune.Decision;
import dev.tandem.tune.task.Attempt;
import dev.tandem.tune.task.Ending;
import dev.tandem.tune.task.TaskId;
import dev.tandem.tune.task.TaskListener;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Hears of the attempts of a task, and keeps what it hears. */
final class TaskEvents implements TaskListener {

  private final TaskId id;
  private final GraphJournal journal;
  private final Consumer<String> notes;
  private volatile Optional<Ending> ending = Optional.empty();

  TaskEvents(TaskId id, GraphJournal journal, Consumer<String> notes) {
    this.id = id;
    this.journal = journal;
    this.notes = notes;
  }

  /** How its last attempt ended. */
  Optional<Ending> ending() {
    return ending;
  }

  @Override
  public void waits(String what) {
    // Only a task that has room on the nodes together, and on none of them.
  }

  @Override
  public void started(Attempt attempt) {
    // A driver that goes on after a kill ends what is left of it.
    journal.keep(JournalRecord.Started.of(attempt));
  }

  @Override
  public Decision report(Attempt attempt, long step, Map<String, Double> metrics) {
    journal.record(new JournalRecord.Reported(id.number(), attempt.number(), step, metrics));
    return Decision.GO_ON;
  }

  @Override
  public void checkpoint(Attempt attempt, long step, String path) {
    journal.record(new JournalRecord.CheckpointSaved(id.number(), step, path));
  }

  @Override
  public void note(Attempt attempt, String text) {
    notes.accept("%s: %s".formatted(journal.names().of(id), text));
  }

  @Override
  public void ended(Attempt attempt, Ending how) {
    ending = Optional.of(how);
    if (how.retried()) {
      journal.record(journal.ended(id, attempt.number(), how.outcome(), ending));
      notes.accept(
          "%s: %s; tried again".formatted(journal.names().of(id), how.outcome().explanation()));
    }
  }
}
