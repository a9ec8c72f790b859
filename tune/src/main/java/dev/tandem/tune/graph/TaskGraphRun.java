package dev.tandem.tune.graph;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.tune.StudySession;
import dev.tandem.tune.StudySettings;
import dev.tandem.tune.StudyState;
import dev.tandem.tune.config.GraphFile;
import dev.tandem.tune.config.PlannedTask;
import dev.tandem.tune.journal.JournalRecord;
import dev.tandem.tune.prune.Decision;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.task.Attempt;
import dev.tandem.tune.task.Call;
import dev.tandem.tune.task.Ending;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.TaskGraph;
import dev.tandem.tune.task.TaskId;
import dev.tandem.tune.task.TaskListener;
import dev.tandem.tune.task.Work;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.TrialState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Runs a graph of tasks and keeps its journal, which is that of a study whose trials are the tasks:
 * what a study's journal can be asked, a graph's can.
 */
public final class TaskGraphRun implements TaskGraph.Owner {

  /** The parameter of the study that is the name of a task. */
  private static final String TASK = "task";

  /** In it a program says its children, in the folder it runs in. */
  private static final String CHILDREN = "tasks.yaml";

  private final StudySession session;
  private final GraphFile.Place place;
  private final Consumer<String> notes;
  private final TaskGraph graph;
  private final List<String> names = new ArrayList<>();
  private final Map<String, PlannedTask> plans = new HashMap<>();
  private final Map<TaskId, Events> heard = new HashMap<>();
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
    this.session = session;
    this.place = place;
    this.notes = notes;
    this.graph = new TaskGraph(engine, workers, this);
    StudyState state = session.state();
    for (int number = 0; number < state.asked(); number++) {
      names.add(String.valueOf(state.trial(number).parameters().values().get(TASK)));
    }
  }

  /** The study that a graph is kept as. */
  public static StudySettings settings(GraphFile.Place place, List<PlannedTask> tasks, Seed seed) {
    List<Object> all = tasks.stream().map(task -> (Object) task.name()).toList();
    return new StudySettings(
        place.graph(),
        new Space(List.of(new Parameter(TASK, new ChoiceDomain(all)))),
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
    List<String> names = tasks.stream().map(PlannedTask::name).toList();
    try {
      TaskGraph.requirePossible(planned(tasks, names, place), Set.of(), engine.nodes());
    } catch (UsageException e) {
      throw new UsageException(named(e.getMessage(), names, place));
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
    graph.run().forEach((id, outcome) -> outcomes.put(name(id), outcome));
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

  /** The number of a task in the journal. */
  public long number(String task) {
    return names.indexOf(task);
  }

  private String name(TaskId id) {
    return names.get(Math.toIntExact(id.number()));
  }

  private void add(List<PlannedTask> tasks) {
    for (PlannedTask task : tasks) {
      plans.put(task.name(), task);
      if (!names.contains(task.name())) {
        names.add(task.name());
      }
    }
    try {
      Optional<TaskId> parent =
          tasks.getFirst().parent().map(name -> new TaskId(place.graph(), number(name)));
      graph.add(parent, planned(tasks, names, place));
    } catch (UsageException e) {
      throw new UsageException(named(e.getMessage(), names, place));
    }
    for (int number = session.state().asked(); number < names.size(); number++) {
      record(new JournalRecord.Asked(number, Map.of(TASK, names.get(number)), 0, 0));
    }
  }

  private static List<TaskGraph.Planned> planned(
      List<PlannedTask> tasks, List<String> names, GraphFile.Place place) {
    List<TaskGraph.Planned> planned = new ArrayList<>();
    for (PlannedTask task : tasks) {
      Set<TaskId> after = new HashSet<>();
      task.after().forEach(name -> after.add(new TaskId(place.graph(), names.indexOf(name))));
      planned.add(
          new TaskGraph.Planned(
              task.body().numbered(names.indexOf(task.name())), after, task.priority()));
    }
    return planned;
  }

  /** A message with names of tasks instead of numbers. */
  private static String named(String message, List<String> names, GraphFile.Place place) {
    String text = message;
    for (int number = names.size() - 1; number >= 0; number--) {
      text = text.replace(place.graph() + "/" + number, names.get(number));
    }
    return text;
  }

  private synchronized void record(JournalRecord record) {
    session.state().apply(record);
    session.journal().append(record);
  }

  /** The same, safe on return. */
  private synchronized void keep(JournalRecord record) {
    record(record);
    session.journal().sync();
  }

  @Override
  public TaskListener listener(TaskId task) {
    return heard.computeIfAbsent(task, id -> new Events(name(id), id));
  }

  @Override
  public synchronized Optional<Task> starts(Task task) {
    if (hasCompleted(task.id())) {
      return Optional.empty();
    }
    PlannedTask plan = plans.get(name(task.id()));
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
            session.state().attempts(task.id().number()) + 1));
  }

  /** The folder that a completed task has left its files in. */
  private String folder(String name) {
    Path folder = place.task(name).toAbsolutePath();
    Path training = folder.resolve("run");
    int attempt = session.state().attempts(number(name));
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
  public synchronized Outcome ended(Task task, Outcome outcome) {
    Outcome counted =
        outcome instanceof Outcome.Completed(double value) ? completed(task, value) : outcome;
    if (!hasCompleted(task.id())) {
      String name = name(task.id());
      Optional<Ending> ending =
          Optional.ofNullable(heard.get(task.id())).flatMap(events -> events.ending);
      double seconds = ending.map(Ending::seconds).orElse(0.0);
      keep(ended(task.id(), session.state().attempts(task.id().number()), counted, ending));
      notes.accept(
          counted instanceof Outcome.Completed
              ? "%s: complete in %.1f s".formatted(name, seconds)
              : "%s: %s".formatted(name, explanation(counted)));
    }
    return counted;
  }

  private boolean hasCompleted(TaskId id) {
    return session.state().trial(id.number()).state() == TrialState.COMPLETE;
  }

  /** What becomes of a task whose program has done its work: its children are added. */
  private Outcome completed(Task task, double value) {
    boolean wanted = !task.alternatives().getFirst().work().call().metric().isEmpty();
    if (wanted && !Double.isFinite(value) && !hasCompleted(task.id())) {
      return new Outcome.Failed("the metric is " + value, true);
    }
    Path file = Path.of(folder(name(task.id()))).resolve(CHILDREN);
    if (Files.exists(file)) {
      try {
        add(
            GraphFile.read(file)
                .tasks(Optional.of(name(task.id())), session.settings().seed(), place));
      } catch (UsageException e) {
        return new Outcome.Failed(e.getMessage(), true);
      }
    }
    return new Outcome.Completed(value);
  }

  private static JournalRecord.Ended ended(
      TaskId id, int attempt, Outcome outcome, Optional<Ending> ending) {
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
        outcome.explanation(),
        ending.map(Ending::seconds).orElse(0.0),
        ending.map(Ending::processorSeconds).orElse(Double.NaN),
        Instant.now().toEpochMilli());
  }

  /** Why a task ended as it did, with names of tasks instead of numbers. */
  public String explanation(Outcome outcome) {
    return named(outcome.explanation(), names, place);
  }

  private final class Events implements TaskListener {

    private final String name;
    private final TaskId id;
    private volatile Optional<Ending> ending = Optional.empty();

    Events(String name, TaskId id) {
      this.name = name;
      this.id = id;
    }

    @Override
    public void waits(String what) {
      // Only a task that has room on the nodes together, and on none of them.
    }

    @Override
    public void started(Attempt attempt) {
      // A driver that goes on after a kill ends what is left of it.
      keep(
          new JournalRecord.Started(
              id.number(),
              attempt.number(),
              attempt.node(),
              attempt.cores(),
              attempt.gpus(),
              attempt.process(),
              attempt.processStart(),
              Instant.now().toEpochMilli()));
    }

    @Override
    public Decision report(Attempt attempt, long step, Map<String, Double> metrics) {
      record(new JournalRecord.Reported(id.number(), attempt.number(), step, metrics));
      return Decision.GO_ON;
    }

    @Override
    public void checkpoint(Attempt attempt, long step, String path) {
      record(new JournalRecord.CheckpointSaved(id.number(), step, path));
    }

    @Override
    public void note(Attempt attempt, String text) {
      notes.accept("%s: %s".formatted(name, text));
    }

    @Override
    public void ended(Attempt attempt, Ending how) {
      ending = Optional.of(how);
      if (how.retried()) {
        record(TaskGraphRun.ended(id, attempt.number(), how.outcome(), ending));
        notes.accept("%s: %s; tried again".formatted(name, how.outcome().explanation()));
      }
    }
  }
}
