package dev.tandem.spark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.tune.prune.Decision;
import dev.tandem.tune.remote.ListenerCalls;
import dev.tandem.tune.task.Attempt;
import dev.tandem.tune.task.Ending;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.TaskListener;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The attempts of a task that one job makes, on one node: hears of them from the executor, and
 * passes on what the study should hear. Of a gang, rank 0 speaks, and its end is the end of all
 * ranks. Thread-safe.
 */
final class Chain implements TaskListener {

  private final TaskListener listener;
  private final Retries retries;
  private final boolean gang;
  private Optional<Attempt> running = Optional.empty();
  private Optional<Ending> ending = Optional.empty();
  private Optional<Boolean> again = Optional.empty();
  private int lastAttempt;
  private String node = "";
  private long startedAt;

  /**
   * Nothing heard yet.
   *
   * @param lastAttempt the number of the attempt before
   */
  Chain(TaskListener listener, Retries retries, boolean gang, int lastAttempt) {
    this.listener = listener;
    this.retries = retries;
    this.gang = gang;
    this.lastAttempt = lastAttempt;
  }

  /** A message of an executor; returns the answer. */
  synchronized ObjectNode deliver(JsonNode message) {
    if (message.path("rank").asInt() != 0) {
      return JsonNodeFactory.instance.objectNode();
    }
    return ListenerCalls.deliver(message.path("event"), this);
  }

  @Override
  public void waits(String what) {
    listener.waits(what);
  }

  @Override
  public synchronized void started(Attempt attempt) {
    running = Optional.of(attempt);
    lastAttempt = attempt.number();
    node = attempt.node();
    startedAt = System.nanoTime();
    listener.started(attempt);
  }

  @Override
  public synchronized Decision report(Attempt attempt, long step, Map<String, Double> metrics) {
    return listener.report(attempt, step, metrics);
  }

  @Override
  public synchronized void checkpoint(Attempt attempt, long step, String path) {
    listener.checkpoint(attempt, step, path);
  }

  @Override
  public synchronized void note(Attempt attempt, String text) {
    listener.note(attempt, text);
  }

  @Override
  public synchronized void ended(Attempt attempt, Ending end) {
    if (end.retried()) {
      running = Optional.empty();
      retries.usedSameNode();
      listener.ended(attempt, end);
      return;
    }
    ending = Optional.of(end);
    if (!gang) {
      end(end.outcome());
    }
    notifyAll();
  }

  /** The job ended so. Returns how its last attempt ended, which is what counts. */
  synchronized Outcome finish(Outcome outcome) {
    end(outcome);
    return ending.isPresent() && !gang ? ending.get().outcome() : outcome;
  }

  /** The executor is gone, and what ran there, unless it had ended before. */
  synchronized Outcome lost(String reason) {
    return finish(new Outcome.Lost(node.isEmpty() ? "a node" : node, reason));
  }

  private void end(Outcome outcome) {
    if (running.isEmpty()) {
      return;
    }
    Attempt attempt = running.get();
    running = Optional.empty();
    double seconds =
        ending.map(Ending::seconds).orElseGet(() -> (System.nanoTime() - startedAt) / 1e9);
    double processor = ending.map(Ending::processorSeconds).orElse(Double.NaN);
    listener.ended(attempt, new Ending(outcome, decide(outcome), seconds, processor));
  }

  /** Whether the task goes on after this outcome of the job, elsewhere; decided once. */
  synchronized boolean decide(Outcome outcome) {
    if (again.isEmpty()) {
      again = Optional.of(retries.again(outcome, node));
    }
    return again.get();
  }

  /** After a cancel: waits until the executor says that the attempt has ended, if one runs. */
  synchronized void awaitEnd(long seconds) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (running.isPresent() && ending.isEmpty() && System.nanoTime() < end) {
      TimeUnit.NANOSECONDS.timedWait(this, end - System.nanoTime());
    }
    end(new Outcome.Cancelled());
  }

  /** The number of the last attempt that started. */
  synchronized int lastAttempt() {
    return lastAttempt;
  }
}
