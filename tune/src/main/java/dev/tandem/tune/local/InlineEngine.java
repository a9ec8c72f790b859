package dev.tandem.tune.local;

import dev.tandem.tune.local.Slots.Placement;
import dev.tandem.tune.task.Node;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.TaskHandle;
import dev.tandem.tune.task.TaskId;
import dev.tandem.tune.task.TaskListener;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Runs each task on the thread that submits it: a handle is returned when its task has ended. */
public final class InlineEngine implements TaskEngine {

  private static final Node HERE = new Node("here", 1, 0, Long.MAX_VALUE);
  private static final Placement NOTHING = new Placement(List.of(), List.of(), 0);

  /** The handle of a task that has ended. */
  private record Done(TaskId id, CompletableFuture<Outcome> outcome) implements TaskHandle {

    @Override
    public void cancel() {
      // There is nothing left to end.
    }
  }

  @Override
  public List<Node> nodes() {
    return List.of(HERE);
  }

  @Override
  public TaskHandle submit(Task task, TaskListener events) {
    Task.Alternative chosen = task.alternatives().getFirst();
    chosen.needs().requireRoom(nodes());
    Outcome outcome;
    try {
      outcome =
          new TaskRun(task.only(chosen), events, NodeCache.ofStudies())
              .run(HERE.name(), NOTHING, task.retries().attempts(), false);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      outcome = new Outcome.Cancelled();
    }
    return new Done(task.id(), CompletableFuture.completedFuture(outcome));
  }

  @Override
  public void close() {
    // Nothing runs.
  }
}
