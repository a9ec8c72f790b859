package dev.tandem.tune.local;

import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.core.TandemException;
import dev.tandem.posix.ControlGroup;
import dev.tandem.tune.local.Slots.Placement;
import dev.tandem.tune.task.Attempt;
import dev.tandem.tune.task.Ending;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskListener;
import dev.tandem.tune.task.Work;
import java.util.Optional;

/** Runs a task on this node, on the calling thread, as often as its retries allow here. */
final class TaskRun {

  private final Task task;
  private final TaskListener listener;
  private final NodeCache cache;
  private Optional<Running> running = Optional.empty();
  private boolean cancelled;

  /**
   * A run.
   *
   * @param task with one alternative, the one to run
   * @param cache has its inputs
   */
  TaskRun(Task task, TaskListener listener, NodeCache cache) {
    this.task = task;
    this.listener = listener;
    this.cache = cache;
  }

  /** Ends what runs, or what would; any thread. */
  synchronized void cancel() {
    cancelled = true;
    running.ifPresent(Running::cancel);
  }

  /**
   * Runs it to its end.
   *
   * @param node the name of this node
   * @param attempts how many may run here
   * @param elsewhere whether it is tried on other nodes when they are used up
   */
  Outcome run(String node, Placement placement, int attempts, boolean elsewhere)
      throws InterruptedException {
    int number = task.firstAttempt();
    for (int left = attempts - 1; ; left--, number++) {
      Attempt attempt =
          new Attempt(task.id(), number, node, placement.cores(), placement.gpus(), 0, 0);
      Ending ending = attempt(attempt);
      boolean retried = worthRetrying(ending.outcome()) && (left > 0 || elsewhere);
      listener.ended(
          attempt,
          new Ending(ending.outcome(), retried, ending.seconds(), ending.processorSeconds()));
      if (!retried || left == 0) {
        return ending.outcome();
      }
    }
  }

  /** Whether another attempt might end otherwise: memory would not grow, nor numbers be finite. */
  private boolean worthRetrying(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Failed failed -> !failed.lasting() && !cancelled();
      case Outcome.TimedOut any -> task.retries().timeouts() && !cancelled();
      case Outcome.Completed any -> false;
      case Outcome.Stopped any -> false;
      case Outcome.Paused any -> false;
      case Outcome.Lost any -> false;
      case Outcome.Cancelled any -> false;
      case Outcome.Skipped any -> false;
    };
  }

  private Ending attempt(Attempt attempt) throws InterruptedException {
    Task.Alternative chosen = task.alternatives().getFirst();
    try {
      return switch (chosen.work()) {
        case Work.JavaWork java -> {
          JavaAttempt run = new JavaAttempt(java, attempt, listener);
          yield begin(run) ? run.run() : notBegun();
        }
        case Work.CommandWork command -> {
          AttemptFolder folder =
              AttemptFolder.make(command.call(), attempt.number(), rank(command));
          cache.place(task.inputs(), command.call(), folder);
          yield process(
              ProgramStart.of(command, attempt, chosen.needs(), folder), attempt, chosen.needs());
        }
        case Work.TrainWork train -> {
          AttemptFolder folder = AttemptFolder.make(train.call(), attempt.number());
          yield process(
              ProgramStart.of(train, attempt, chosen.needs(), folder), attempt, chosen.needs());
        }
      };
    } catch (TandemException e) {
      return new Ending(new Outcome.Failed(e.getMessage()), false, 0, Double.NaN);
    } finally {
      finish();
    }
  }

  /** Which of a gang's ranks this is, if an engine starts them one by one. */
  private static int rank(Work.CommandWork command) {
    return Integer.parseInt(command.environment().getOrDefault(JobEnvironment.RANK, "0"));
  }

  private Ending process(ProgramStart start, Attempt attempt, Needs needs)
      throws InterruptedException {
    Optional<ControlGroup> group =
        LimitGroup.of(attempt, needs, task.limits(), text -> listener.note(attempt, text));
    try {
      ProcessAttempt run = new ProcessAttempt(start, attempt, task.limits(), listener, group);
      return begin(run) ? run.run() : notBegun();
    } finally {
      group.ifPresent(ControlGroup::close);
    }
  }

  private static Ending notBegun() {
    return new Ending(new Outcome.Cancelled(), false, 0, Double.NaN);
  }

  private synchronized boolean begin(Running attempt) {
    running = Optional.of(attempt);
    return !cancelled;
  }

  private synchronized void finish() {
    running = Optional.empty();
  }

  private synchronized boolean cancelled() {
    return cancelled;
  }
}
