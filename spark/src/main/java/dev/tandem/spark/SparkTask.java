package dev.tandem.spark;

import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.OutcomeJson;
import dev.tandem.tune.task.RetryPolicy;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskHandle;
import dev.tandem.tune.task.TaskId;
import dev.tandem.tune.task.TaskListener;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.api.java.JavaFutureAction;

/** A task on its way through one job or several; each has a virtual thread. */
final class SparkTask implements TaskHandle, Runnable {

  /** Beyond the grace of its processes. */
  private static final long CANCEL_SECONDS = 30;

  /** In what Spark says of a failed job, the cause. */
  private static final Pattern CAUSE =
      Pattern.compile("(?:most recent failure: Lost task [^:]*:|Reason:) *([^\\n]*)");

  private final SparkEngine engine;
  private final Task task;
  private final Needs needs;
  private final TaskListener listener;
  private final Retries retries;
  private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
  private Optional<JavaFutureAction<List<byte[]>>> job = Optional.empty();
  private volatile boolean cancelled;

  /**
   * A task that nothing was done for yet.
   *
   * @param task with one alternative
   */
  SparkTask(SparkEngine engine, Task task, TaskListener listener) {
    this.engine = engine;
    this.task = task;
    this.needs = task.alternatives().getFirst().needs();
    this.listener = listener;
    this.retries =
        new Retries(
            task.retries(),
            needs.ranks() > 1,
            () -> cancelled || engine.stopped().isPresent(),
            engine.cluster()::host);
  }

  @Override
  public TaskId id() {
    return task.id();
  }

  @Override
  public CompletableFuture<Outcome> outcome() {
    return outcome;
  }

  @Override
  public void cancel() {
    synchronized (this) {
      cancelled = true;
      job.ifPresent(each -> each.cancel(true));
    }
    engine.room().lookAgain();
  }

  @Override
  public void run() {
    Outcome end;
    try {
      end = attempts();
    } catch (InterruptedException e) {
      end = new Outcome.Cancelled();
    } catch (RuntimeException e) {
      end = new Outcome.Failed(String.valueOf(e.getMessage()));
    }
    engine.ended(this);
    outcome.complete(end);
  }

  private Outcome attempts() throws InterruptedException {
    int attempt = task.firstAttempt();
    int cores = Jobs.cores(needs) * needs.ranks();
    for (int run = 1; ; run++) {
      if (!engine.room().take(cores, listener::waits, () -> cancelled)) {
        return new Outcome.Cancelled();
      }
      Chain chain = new Chain(listener, retries, needs.ranks() > 1, attempt - 1);
      Outcome end;
      try {
        end = runJob(chain, "%s run %d".formatted(task.id(), run), attempt);
      } finally {
        engine.room().give(cores);
      }
      if (!chain.decide(end)) {
        return retries.last(end, engine.cluster().hosts().size());
      }
      attempt = chain.lastAttempt() + 1;
    }
  }

  private Outcome runJob(Chain chain, String key, int attempt) throws InterruptedException {
    RetryPolicy policy = retries.onNode();
    Task part =
        new Task(task.id(), task.alternatives(), task.limits(), policy, task.inputs(), attempt);
    engine.register(key, chain);
    try {
      JavaFutureAction<List<byte[]>> started = start(part, key);
      return chain.finish(combined(started.get()));
    } catch (ExecutionException | CancellationException e) {
      if (cancelled) {
        chain.awaitEnd(task.limits().grace().toSeconds() + CANCEL_SECONDS);
        return new Outcome.Cancelled();
      }
      return chain.lost(engine.stopped().orElseGet(() -> cause(e)));
    } finally {
      engine.forget(key);
    }
  }

  private synchronized JavaFutureAction<List<byte[]>> start(Task part, String key) {
    if (cancelled) {
      throw new CancellationException();
    }
    JavaFutureAction<List<byte[]>> started = engine.jobs().submit(part, key, preferred());
    job = Optional.of(started);
    return started;
  }

  /** A gang takes what room there is on all hosts. */
  private Set<String> preferred() {
    return needs.ranks() > 1 ? Set.of() : retries.preferred(engine.cluster().hosts());
  }

  /** The outcome of rank 0, unless another rank failed. */
  private static Outcome combined(List<byte[]> results) {
    List<Outcome> outcomes =
        results.stream().map(each -> OutcomeJson.read(ExecutorSide.parse(each))).toList();
    Outcome first = outcomes.getFirst();
    if (!(first instanceof Outcome.Completed)) {
      return first;
    }
    for (int rank = 1; rank < outcomes.size(); rank++) {
      if (outcomes.get(rank) instanceof Outcome.Failed failed && !noMetric(failed)) {
        return new Outcome.Failed("rank %d: %s".formatted(rank, failed.reason()));
      }
    }
    return first;
  }

  /** Ranks other than the first need not report. */
  private static boolean noMetric(Outcome.Failed failed) {
    return failed.reason().startsWith("printed no metric");
  }

  private static String cause(Exception e) {
    String text = e.getCause() == null ? String.valueOf(e.getMessage()) : e.getCause().getMessage();
    Matcher matcher = CAUSE.matcher(String.valueOf(text));
    String last = String.valueOf(text).lines().findFirst().orElse("");
    while (matcher.find()) {
      if (!matcher.group(1).isBlank()) {
        last = matcher.group(1).strip();
      }
    }
    return last;
  }
}
