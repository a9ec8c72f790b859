package dev.tandem.tune.graph;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.tune.StudySession;
import dev.tandem.tune.StudySettings;
import dev.tandem.tune.config.GraphFile;
import dev.tandem.tune.config.PlannedTask;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.task.Call;
import dev.tandem.tune.task.Ending;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.TaskGraph;
import dev.tandem.tune.task.TaskId;
import dev.tandem.tune.task.TaskListener;
import dev.tandem.tune.task.TaskOrder;
import dev.tandem.tune.task.Work;
import dev.tandem.tune.trial.Direction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Runs a graph of tasks that a configuration says and keeps its journal. One thread runs it; only
 * {@link #cancel} may be called by others.
 */
public final class TaskGraphRun implements TaskGraph.Owner {

  /** In it a program says its children, in the folder it runs in. */
  private static final String CHILDREN = "tasks.yaml";

  private final GraphJournal journal;
  private final Seed seed;
  private final GraphFile.Place place;
  private final Consumer<String> notes;
  private final TaskGraph graph;
  private final TaskNames names;
  private final Map<String, PlannedTask> plans = new HashMap<>();
  private final Map<TaskId, TaskEvents> heard = new HashMap<>();
  private volatile boolean cancelled;

  /**
   * A run.
   *
   * @param session of the study that the graph is kept as; not closed here
   * @param notes what a user should know as it goes
   */
  public TaskGraphRun(
      StudySession session,
      GraphFile.Place place,
      TaskEngine engine,
      int workers,
      Consumer<String> notes) {
    this.journal = new GraphJournal(session);
    this.names = journal.names();
    this.seed = session.settings().seed();
    this.place = place;
    this.notes = notes;
    this.graph = new TaskGraph(engine, workers, this);
  }

  /** The study that a graph is kept as. */
  public static StudySettings settings(GraphFile.Place place, List<PlannedTask> tasks, Seed seed) {
    List<Object> all = tasks.stream().map(task -> (Object) task.name()).toList();
    return new StudySettings(
        place.graph(),
        new Space(List.of(new Parameter(GraphJournal.TASK, new ChoiceDomain(all)))),
        Direction.MINIMIZE,
        "value",
        seed,
        new TextNode("grid"),
        new TextNode("none"),
        StudySettings.Order.ARRIVAL,
        1);
  }

  /**
   * Refuses tasks that could never all run, before anything is written or started.
   *
   * @throws UsageException if tasks wait for each other, or one finds no room on the engine's nodes
   */
  public static void requirePossible(
      List<PlannedTask> tasks, GraphFile.Place place, TaskEngine engine) {
    TaskNames names = new TaskNames(place.graph(), tasks.stream().map(PlannedTask::name).toList());
    try {
      TaskOrder.requirePossible(planned(tasks, names), Set.of(), engine.nodes());
    } catch (UsageException e) {
      throw new UsageException(names.in(e.getMessage()));
    }
  }

  /**
   * Runs all tasks, without those that had completed before.
   *
   * @throws UsageException before anything starts, if they could never all run
   */
  public Map<String, Outcome> run(List<PlannedTask> tasks) throws InterruptedException {
    add(tasks);
    Map<String, Outcome> outcomes = new LinkedHashMap<>();
    graph.run().forEach((id, outcome) -> outcomes.put(names.of(id), outcome));
    return outcomes;
  }

  /** Ends what runs, and starts nothing more; any thread. */
  public void cancel() {
    cancelled = true;
    graph.cancel();
  }

  /** Whether it was cancelled. */
  public boolean cancelled() {
    return cancelled;
  }

  /** How many attempts a task had. */
  public int attempts(String task) {
    return journal.attempts(names.id(task));
  }

  /** How long its last attempt took. */
  public double seconds(String task) {
    return journal.seconds(names.id(task));
  }

  private void add(List<PlannedTask> tasks) {
    tasks.forEach(task -> plans.put(task.name(), task));
    try {
      graph.add(tasks.getFirst().parent().map(names::id), planned(tasks, names));
    } catch (UsageException e) {
      throw new UsageException(names.in(e.getMessage()));
    }
    journal.keepNames();
  }

  private static List<TaskGraph.Planned> planned(List<PlannedTask> tasks, TaskNames names) {
    tasks.forEach(task -> names.id(task.name())); // in their order, whatever comes after what
    List<TaskGraph.Planned> planned = new ArrayList<>();
    for (PlannedTask task : tasks) {
      Task numbered = task.body().numbered(names.id(task.name()).number());
      planned.add(
          new TaskGraph.Planned(
              numbered,
              task.after().stream().map(names::id).collect(Collectors.toSet()),
              task.priority()));
    }
    return planned;
  }

  @Override
  public TaskListener listener(TaskId task) {
    return heard.computeIfAbsent(task, id -> new TaskEvents(id, journal, notes));
  }

  @Override
  public Optional<Task> starts(Task task) {
    if (journal.completed(task.id())) {
      return Optional.empty();
    }
    PlannedTask plan = plans.get(names.of(task.id()));
    Map<String, Object> folders = new LinkedHashMap<>();
    plan.parent().ifPresent(name -> folders.put(PlannedTask.shortName(name), folder(name)));
    plan.after().forEach(name -> folders.put(PlannedTask.shortName(name), folder(name)));
    return Optional.of(
        new Task(
            task.id(),
            task.alternatives().stream().map(way -> with(folders, way)).toList(),
            task.limits(),
            task.retries(),
            task.inputs(),
            journal.attempts(task.id()) + 1));
  }

  /** The folder that a completed task has left its files in. */
  private String folder(String name) {
    Path folder = place.task(name).toAbsolutePath();
    Path training = folder.resolve("run");
    int attempt = journal.attempts(names.id(name));
    return (Files.exists(training) ? training : folder.resolve("attempt-" + attempt)).toString();
  }

  /** Programs hear the folders of what they come after; keys of a training have other meanings. */
  private static Task.Alternative with(Map<String, Object> folders, Task.Alternative way) {
    if (!(way.work() instanceof Work.CommandWork work)) {
      return way;
    }
    Call call = work.call();
    Map<String, Object> values = new LinkedHashMap<>(folders);
    values.putAll(call.parameters().values());
    return new Task.Alternative(
        work.with(
            new Call(
                Parameters.of(values),
                call.metric(),
                call.seed(),
                call.budget(),
                call.resumeFrom(),
                call.folder())),
        way.needs());
  }

  @Override
  public Outcome ended(Task task, Outcome outcome) {
    Outcome counted =
        outcome instanceof Outcome.Completed(double value) ? completed(task, value) : outcome;
    if (!journal.completed(task.id())) {
      String name = names.of(task.id());
      Optional<Ending> ending =
          Optional.ofNullable(heard.get(task.id())).flatMap(TaskEvents::ending);
      double seconds = ending.map(Ending::seconds).orElse(0.0);
      journal.keep(journal.ended(task.id(), journal.attempts(task.id()), counted, ending));
      notes.accept(
          counted instanceof Outcome.Completed
              ? "%s: complete in %.1f s".formatted(name, seconds)
              : "%s: %s".formatted(name, explanation(counted)));
    }
    return counted;
  }

  /** What becomes of a task whose program has done its work: its children are added. */
  private Outcome completed(Task task, double value) {
    boolean wanted = !task.alternatives().getFirst().work().call().metric().isEmpty();
    if (wanted && !Double.isFinite(value) && !journal.completed(task.id())) {
      return new Outcome.Failed("the metric is " + value, true);
    }
    Path file = Path.of(folder(names.of(task.id()))).resolve(CHILDREN);
    if (Files.exists(file)) {
      try {
        add(GraphFile.read(file).tasks(Optional.of(names.of(task.id())), seed, place));
      } catch (UsageException e) {
        return new Outcome.Failed(e.getMessage(), true);
      }
    }
    return new Outcome.Completed(value);
  }

  /** Why a task ended as it did, with names of tasks instead of numbers. */
  public String explanation(Outcome outcome) {
    return names.in(outcome.explanation());
  }
}
