package dev.tandem.cli;

import dev.tandem.core.Seed;
import dev.tandem.core.StoppedException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.tune.StudySession;
import dev.tandem.tune.StudySettings;
import dev.tandem.tune.config.GraphConfig;
import dev.tandem.tune.config.GraphFile;
import dev.tandem.tune.config.PlannedTask;
import dev.tandem.tune.config.StudyConfig;
import dev.tandem.tune.graph.TaskGraphRun;
import dev.tandem.tune.task.Node;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.TaskEngine;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs tasks that depend on each other. */
@Command(
    name = "tasks",
    description = {
      "Runs programs and trainings that depend on each other, each as soon as what it comes after"
          + " has completed and there is room for its cores, GPUs, memory and ranks. If one does"
          + " not complete, those after it are skipped and all others go on. The journal in runs/"
          + " is that of a study: tune show, export and verify read it."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem tune tasks examples/tune-tasks.yaml",
      "  ./tandem tune tasks graph.yaml --resume     without what has completed",
      "  ./tandem tune show runs/graph               the tasks"
    })
final class TuneTasksCommand extends TandemCommand {

  @Parameters(
      paramLabel = "CONFIG",
      description = "The configuration of the graph; docs/tuning.md shows all keys.")
  private Path file;

  @Option(
      names = "--name",
      paramLabel = "GRAPH",
      description = "Name of the graph and its folder. Default: that of the configuration")
  private String name;

  @Option(
      names = "--runs",
      paramLabel = "DIR",
      defaultValue = "runs",
      description = "Folder in which the graph's own is. Default: ${DEFAULT-VALUE}")
  private Path runs;

  @Option(names = "--resume", description = "Go on with the graph of this name.")
  private boolean resume;

  @Option(
      names = "--workers",
      paramLabel = "N",
      description = "Tasks at the same time. Default: as many as there are cores")
  private Integer workers;

  @Option(
      names = "--engine",
      paramLabel = "ENGINE",
      description = "Where tasks run: local or spark. Default: engine of the configuration")
  private StudyConfig.Engine engineName;

  /** A task for {@code --json}. */
  record OneTask(String name, String state, double seconds, int attempts, String reason) {}

  /** What {@code --json} gets. */
  record Results(String graph, String folder, boolean completed, List<OneTask> tasks) {}

  @Override
  protected Object run() throws InterruptedException {
    GraphFile graph = GraphFile.read(file);
    GraphConfig config = graph.config();
    String named = Optional.ofNullable(name).or(config::name).orElseGet(graph::baseName);
    GraphFile.Place place =
        new GraphFile.Place(named, runs.resolve(named).toAbsolutePath(), TuneCommand.program());
    List<PlannedTask> tasks = graph.tasks(Optional.empty(), new Seed(config.seed()), place);
    StudyConfig.Engine which = engineName == null ? config.engine() : engineName;
    try (TaskEngine engine = TuneCommand.engine(which, config.spark(), err())) {
      TaskGraphRun.requirePossible(tasks, place, engine);
      StudySettings settings = TaskGraphRun.settings(place, tasks, new Seed(config.seed()));
      try (StudySession session =
          resume
              ? StudySession.resume(place.folder(), settings, err()::println)
              : StudySession.begin(place.folder(), settings, err()::println)) {
        DurableFiles.system()
            .replace(
                place.folder().resolve("graph.yaml"),
                ByteBuffer.wrap(graph.yaml().getBytes(StandardCharsets.UTF_8)));
        int atOnce =
            Optional.ofNullable(workers)
                .or(config::workers)
                .orElseGet(() -> engine.nodes().stream().mapToInt(Node::cores).sum());
        TaskGraphRun run =
            new TaskGraphRun(session, place, engine, Math.max(1, atOnce), err()::println);
        return drive(run, tasks, session, place.folder(), config.trace());
      }
    }
  }

  private Object drive(
      TaskGraphRun run, List<PlannedTask> tasks, StudySession session, Path folder, boolean trace)
      throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    Thread hook =
        new Thread(() -> TuneCommand.interrupt(run::cancel, session, ended), "tandem-tasks-end");
    Runtime.getRuntime().addShutdownHook(hook);
    Map<String, Outcome> outcomes;
    try {
      outcomes = run.run(tasks);
    } finally {
      ended.countDown();
    }
    if (run.cancelled()) {
      throw new StoppedException("stopped as asked; --resume goes on");
    }
    Runtime.getRuntime().removeShutdownHook(hook);
    long incomplete =
        outcomes.values().stream().filter(each -> !(each instanceof Outcome.Completed)).count();
    Results results = results(run, outcomes, session, folder, incomplete == 0);
    out().printf("%20s: %s%n", "graph", folder);
    out()
        .printf(
            "%20s: %d of %d complete%n", "tasks", outcomes.size() - incomplete, outcomes.size());
    if (trace) {
      out().printf("%20s: %s%n", "timeline", StudyTrace.write(folder));
    }
    if (incomplete > 0) {
      save(results);
      OneTask first =
          results.tasks().stream()
              .filter(task -> task.state().equals("failed"))
              .findFirst()
              .orElseGet(
                  () ->
                      results.tasks().stream()
                          .filter(task -> !task.state().equals("complete"))
                          .findFirst()
                          .orElseThrow());
      throw new WorkFailedException(
          "%d of %d tasks did not complete; %s: %s"
              .formatted(incomplete, outcomes.size(), first.name(), first.reason()));
    }
    return results;
  }

  private static Results results(
      TaskGraphRun run,
      Map<String, Outcome> outcomes,
      StudySession session,
      Path folder,
      boolean complete) {
    List<OneTask> tasks = new ArrayList<>();
    outcomes.forEach(
        (task, outcome) ->
            tasks.add(
                new OneTask(
                    task,
                    word(outcome),
                    run.seconds(task),
                    run.attempts(task),
                    run.explanation(outcome))));
    return new Results(session.settings().name(), folder.toString(), complete, tasks);
  }

  private static String word(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Completed any -> "complete";
      case Outcome.Failed any -> "failed";
      case Outcome.TimedOut any -> "timed out";
      case Outcome.Lost any -> "lost";
      case Outcome.Cancelled any -> "cancelled";
      case Outcome.Skipped any -> "skipped";
      case Outcome.Stopped any -> "stopped";
      case Outcome.Paused any -> "paused";
    };
  }
}
