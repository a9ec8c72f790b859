package dev.tandem.bench.tune;

import dev.tandem.bench.BenchFolder;
import dev.tandem.core.Seed;
import dev.tandem.tune.prune.Decision;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.task.Attempt;
import dev.tandem.tune.task.Call;
import dev.tandem.tune.task.Ending;
import dev.tandem.tune.task.Limits;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.RetryPolicy;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.TaskHandle;
import dev.tandem.tune.task.TaskId;
import dev.tandem.tune.task.TaskListener;
import dev.tandem.tune.task.Work;
import java.util.List;
import java.util.Map;

/** A shell script as a task that prints one value. */
final class ScriptTask {

  private ScriptTask() {}

  static TaskHandle submit(
      TaskEngine engine, BenchFolder folder, int number, Needs needs, String script) {
    Call call =
        new Call(
            Parameters.of(Map.of()),
            "value",
            new Seed(number),
            0,
            "",
            folder.path().resolve("scripts").resolve(Integer.toString(number)).toAbsolutePath());
    Work work =
        new Work.CommandWork(List.of("sh", "-c", script), Map.of(), Work.Protocol.DEFAULT, call);
    return engine.submit(
        new Task(new TaskId("scripts", number), work, needs, Limits.DEFAULT, RetryPolicy.NONE),
        new Silent());
  }

  private static final class Silent implements TaskListener {

    @Override
    public void waits(String what) {}

    @Override
    public void started(Attempt attempt) {}

    @Override
    public Decision report(Attempt attempt, long step, Map<String, Double> metrics) {
      return Decision.GO_ON;
    }

    @Override
    public void checkpoint(Attempt attempt, long step, String path) {}

    @Override
    public void note(Attempt attempt, String text) {}

    @Override
    public void ended(Attempt attempt, Ending ending) {}
  }
}
