package dev.tandem.tune.task;

import dev.tandem.core.UsageException;
import dev.tandem.tune.task.Outcome.Completed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Tasks of which some come after others. A task is given to the engine when all that it comes after
 * have completed and there is room for it; of those that could start, the one of the highest
 * priority is next, and nothing overtakes it. If one does not complete, those after it are skipped,
 * and all others go on.
 *
 * <p>One thread adds the first tasks and calls {@link #run}; only {@link #cancel} may be called by
 * others.
 */
public final class TaskGraph {

  /**
   * A task in the graph.
   *
   * @param after tasks that must have completed before it starts
   * @param priority larger ones come first
   */
  public record Planned(Task task, Set<TaskId> after, int priority) {

    public Planned {
      after = Set.copyOf(after);
    }
  }

  /** Hears of the tasks of a graph, on the thread that runs it. */
  public interface Owner {

    /** Hears of the attempts of a task, on other threads. */
    TaskListener listener(TaskId task);

    /** A task is about to start. Returns it as it is to run; empty if it has completed before. */
    default Optional<Task> starts(Task task) {
      return Optional.of(task);
    }

    /**
     * A task has ended, or will never start. What is added now with this task as its parent is
     * waited for by all that comes after this task.
     *
     * @return how it counts
     */
    default Outcome ended(Task task, Outcome outcome) {
      return outcome;
    }
  }

  private static final class Entry {
    private final Planned plan;
    private final Needs needs;
    private final Set<TaskId> open = new HashSet<>();
    private final List<Entry> next = new ArrayList<>();
    private final List<Entry> children = new ArrayList<>();
    private Optional<TaskHandle> handle = Optional.empty();
    private Optional<Outcome> outcome = Optional.empty();

    Entry(Planned plan, Needs needs) {
      this.plan = plan;
      this.needs = needs;
    }

    TaskId id() {
      return plan.task().id();
    }
  }

  private final TaskEngine engine;
  private final int workers;
  private final Owner owner;
  private final Map<TaskId, Entry> entries = new LinkedHashMap<>();
  private final Set<Entry> running = new HashSet<>();
  private final BlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
  private final PriorityQueue<Entry> ready =
      new PriorityQueue<>(
          Comparator.comparingInt((Entry entry) -> entry.plan.priority())
              .reversed()
              .thenComparingLong(entry -> entry.id().number()));
  private int unfinished;
  private boolean cancelled;

  /**
   * A graph without tasks.
   *
   * @param engine runs them; not closed by the graph
   * @param workers how many tasks run at a time at most
   */
  public TaskGraph(TaskEngine engine, int workers, Owner owner) {
    this.engine = engine;
    this.workers = workers;
    this.owner = owner;
  }

  /**
   * Adds tasks: all of them, or none.
   *
   * @param parent the task that has just ended and whose children they are
   * @throws UsageException if they could never all run, see {@link TaskOrder}
   */
  public void add(Optional<TaskId> parent, List<Planned> plans) {
    List<Node> nodes = engine.nodes();
    TaskOrder.requirePossible(plans, entries.keySet(), nodes);
    List<Entry> added =
        plans.stream().map(plan -> new Entry(plan, TaskOrder.needs(plan.task(), nodes))).toList();
    added.forEach(entry -> entries.put(entry.id(), entry));
    unfinished += added.size();
    parent.ifPresent(id -> entries.get(id).children.addAll(added));
    for (Entry entry : added) {
      entry.plan.after().forEach(before -> follow(entry, entries.get(before)));
    }
    added.stream().filter(entry -> entry.open.isEmpty()).forEach(ready::add);
  }

  /** Lets a task wait for another, unless that has completed; then for its children. */
  private void follow(Entry entry, Entry before) {
    if (before.outcome.isPresent() && before.outcome.get() instanceof Completed) {
      before.children.forEach(child -> follow(entry, child));
    } else if (entry.open.add(before.id())) {
      before.next.add(entry);
      before.outcome.ifPresent(any -> skip(entry, before));
    }
  }

  /** Ends all that runs, and starts nothing more; returns at once. */
  public void cancel() {
    events.add(
        () -> {
          cancelled = true;
          running.forEach(entry -> entry.handle.ifPresent(TaskHandle::cancel));
        });
  }

  /** Runs all tasks, and those that are added meanwhile; returns how they ended, as they came. */
  public Map<TaskId, Outcome> run() throws InterruptedException {
    try {
      while (unfinished > 0) {
        startWhatFits();
        if (unfinished > 0) {
          events.take().run();
        }
      }
    } finally {
      // Only after a failure: what still runs must not outlive this call.
      running.forEach(entry -> entry.handle.ifPresent(TaskHandle::cancel));
    }
    Map<TaskId, Outcome> outcomes = new LinkedHashMap<>();
    entries.forEach((id, entry) -> outcomes.put(id, entry.outcome.orElseThrow()));
    return outcomes;
  }

  private void startWhatFits() {
    while (!ready.isEmpty() && (cancelled || running.isEmpty() || fits(ready.peek().needs))) {
      Entry entry = ready.poll();
      if (cancelled) {
        end(entry, new Outcome.Cancelled());
        continue;
      }
      Optional<Task> task = owner.starts(entry.plan.task());
      if (task.isEmpty()) {
        end(entry, new Completed(Double.NaN));
        continue;
      }
      running.add(entry);
      try {
        TaskHandle handle = engine.submit(task.get(), owner.listener(entry.id()));
        entry.handle = Optional.of(handle);
        var _ = handle.outcome().thenAccept(outcome -> events.add(() -> end(entry, outcome)));
      } catch (UsageException e) {
        end(entry, new Outcome.Failed(e.getMessage(), true));
      }
    }
  }

  /** Whether there is room beside what runs; which node has it is the engine's business. */
  private boolean fits(Needs needs) {
    long cores = 0;
    long gpus = 0;
    long memory = 0;
    for (Node node : engine.nodes()) {
      cores += node.cores();
      gpus += node.gpus();
      memory += node.memoryBytes();
    }
    for (Entry entry : running) {
      cores -= (long) entry.needs.cores() * entry.needs.ranks();
      gpus -= (long) entry.needs.gpus() * entry.needs.ranks();
      memory -= entry.needs.memoryBytes() * entry.needs.ranks();
    }
    return running.size() < workers && needs.missing(cores, gpus, memory).isEmpty();
  }

  private void end(Entry entry, Outcome outcome) {
    running.remove(entry);
    if (entry.outcome.isPresent()) {
      return;
    }
    Outcome counted = owner.ended(entry.plan.task(), outcome);
    entry.outcome = Optional.of(counted);
    unfinished--;
    for (Entry after : entry.next) {
      if (!(counted instanceof Completed)) {
        skip(after, entry);
      } else if (after.outcome.isEmpty()) {
        after.open.remove(entry.id());
        entry.children.forEach(child -> follow(after, child));
        if (after.open.isEmpty()) {
          ready.add(after);
        }
      }
    }
  }

  /** As an event: a chain of tasks may be long. */
  private void skip(Entry entry, Entry cause) {
    events.add(() -> end(entry, new Outcome.Skipped(cause.id())));
  }
}
