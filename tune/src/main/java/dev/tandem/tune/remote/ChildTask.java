package dev.tandem.tune.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.tune.task.Attempt;
import dev.tandem.tune.task.Ending;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.OutcomeJson;
import dev.tandem.tune.task.TaskHandle;
import dev.tandem.tune.task.TaskId;
import dev.tandem.tune.task.TaskListener;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A task that a child process runs, as its parent sees it. Calls its listener one at a time. */
final class ChildTask implements TaskHandle {

  private final TaskId id;
  private final TaskListener listener;
  private final Runnable cancel;
  private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
  private Optional<Attempt> running = Optional.empty();
  private long startedAt;

  ChildTask(TaskId id, TaskListener listener, Runnable cancel) {
    this.id = id;
    this.listener = listener;
    this.cancel = cancel;
  }

  @Override
  public TaskId id() {
    return id;
  }

  @Override
  public CompletableFuture<Outcome> outcome() {
    return outcome;
  }

  @Override
  public void cancel() {
    if (!outcome.isDone()) {
      cancel.run();
    }
  }

  /** A call of the listener, by the child; returns its answer. */
  synchronized ObjectNode deliver(JsonNode event) {
    if (outcome.isDone()) {
      return ListenerCalls.stop("the task has ended");
    }
    if (event.path("call").asText().equals("started")) {
      running = Optional.of(OutcomeJson.readAttempt(event.path("attempt")));
      startedAt = System.nanoTime();
    } else if (event.path("call").asText().equals("ended")) {
      running = Optional.empty();
    }
    return ListenerCalls.deliver(event, listener);
  }

  void end(Outcome ended) {
    outcome.complete(ended);
  }

  /** The child has ended. */
  void lost(String node, String reason) {
    Outcome lost = new Outcome.Lost(node, reason);
    synchronized (this) {
      running.ifPresent(
          attempt ->
              listener.ended(
                  attempt,
                  new Ending(lost, false, (System.nanoTime() - startedAt) / 1e9, Double.NaN)));
      running = Optional.empty();
    }
    outcome.complete(lost);
  }
}
