package dev.tandem.tune.local;

import dev.tandem.tune.local.Slots.Placement;
import dev.tandem.tune.task.Node;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.TaskHandle;
import dev.tandem.tune.task.TaskId;
import dev.tandem.tune.task.TaskListener;
import dev.tandem.tune.task.Work;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Runs tasks on this machine, each on processors of its own; the first submitted comes first. */
public final class LocalEngine implements TaskEngine {

  private final Slots slots;
  private final NodeCache cache;
  private final Deque<Submitted> waiting = new ArrayDeque<>();
  private final Set<Submitted> unfinished = new HashSet<>();
  private boolean closed;

  /** An engine on what this process may use. */
  public LocalEngine() {
    this(Slots.ofThisMachine());
  }

  /** An engine on a part of this machine. */
  public LocalEngine(Slots slots) {
    this(slots, NodeCache.ofStudies());
  }

  /**
   * An engine on a part of this machine.
   *
   * @param cache where the inputs of tasks are kept
   */
  public LocalEngine(Slots slots, NodeCache cache) {
    this.slots = slots;
    this.cache = cache;
  }

  @Override
  public List<Node> nodes() {
    return List.of(slots.node());
  }

  @Override
  public TaskHandle submit(Task task, TaskListener events) {
    Task.Alternative chosen = chosen(task);
    Submitted submitted = new Submitted(task.only(chosen), chosen, events);
    synchronized (this) {
      if (closed) {
        throw new IllegalStateException("the engine is closed");
      }
      unfinished.add(submitted);
      waiting.add(submitted);
    }
    startWhatFits();
    return submitted;
  }

  /** The first alternative that this machine could run; if there is none, says why. */
  private Task.Alternative chosen(Task task) {
    List<Node> nodes = nodes();
    for (Task.Alternative alternative : task.alternatives()) {
      if (alternative.needs().fit(nodes)) {
        return alternative;
      }
    }
    task.alternatives().getLast().needs().requireRoom(nodes);
    throw new IllegalStateException("an alternative that fits was not found");
  }

  /** In order: a large task that waits is not overtaken for ever by small ones. */
  private void startWhatFits() {
    List<Submitted> starting = new ArrayList<>();
    synchronized (this) {
      while (!waiting.isEmpty()) {
        Submitted first = waiting.getFirst();
        Optional<Placement> placement = slots.take(first.chosen.needs());
        if (placement.isEmpty()) {
          break;
        }
        first.placement = placement.get();
        starting.add(waiting.removeFirst());
      }
    }
    starting.forEach(Submitted::start);
    tellWhatWaits();
  }

  /** Says to tasks that wait for what, where that is new. */
  private void tellWhatWaits() {
    Map<Submitted, String> news = new LinkedHashMap<>();
    synchronized (this) {
      Submitted first = waiting.peekFirst();
      for (Submitted each : waiting) {
        String what =
            each == first
                ? slots.missing(first.chosen.needs()).orElse("")
                : "%s, which came first".formatted(first.id());
        if (!what.isEmpty() && !what.equals(each.waitsFor)) {
          each.waitsFor = what;
          news.put(each, what);
        }
      }
    }
    news.forEach((task, what) -> task.events.waits(what));
  }

  private void finished(Submitted task, Outcome outcome) {
    if (task.placement != null) {
      slots.release(task.placement);
    }
    synchronized (this) {
      unfinished.remove(task);
      notifyAll();
    }
    task.outcome.complete(outcome);
    startWhatFits();
  }

  @Override
  public void close() {
    List<Submitted> running;
    synchronized (this) {
      closed = true;
      running = new ArrayList<>(unfinished);
    }
    running.forEach(Submitted::cancel);
    running.forEach(task -> task.outcome.join());
  }

  private final class Submitted implements TaskHandle {

    private final Task task;
    private final Task.Alternative chosen;
    private final TaskRun run;
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    private final TaskListener events;
    private Placement placement;
    private String waitsFor = "";

    Submitted(Task task, Task.Alternative chosen, TaskListener events) {
      this.task = task;
      this.chosen = chosen;
      this.events = events;
      this.run = new TaskRun(task, events, cache);
    }

    /** Only a thread of the system keeps its processors while it starts a process. */
    void start() {
      Thread.Builder builder =
          chosen.work() instanceof Work.JavaWork ? Thread.ofVirtual() : Thread.ofPlatform();
      builder.name("task-" + task.id()).start(this::run);
    }

    private void run() {
      Outcome how;
      try {
        how = run.run(slots.node().name(), placement, task.retries().attempts(), false);
      } catch (InterruptedException | RuntimeException | Error e) {
        how = new Outcome.Failed("internal error: " + e);
      }
      finished(this, how);
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
      boolean waits;
      synchronized (LocalEngine.this) {
        waits = waiting.remove(this);
      }
      if (waits) {
        finished(this, new Outcome.Cancelled());
      } else {
        run.cancel();
      }
    }
  }
}
