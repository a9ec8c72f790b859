package dev.tandem.tune.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import dev.tandem.tune.StopRules;
import dev.tandem.tune.StudyLoop;
import dev.tandem.tune.StudySession;
import dev.tandem.tune.StudySettings;
import dev.tandem.tune.StudySettings.Order;
import dev.tandem.tune.StudyState;
import dev.tandem.tune.StudyWatcher;
import dev.tandem.tune.TrialPlan;
import dev.tandem.tune.TrialStorage;
import dev.tandem.tune.prune.Pruner;
import dev.tandem.tune.sample.RandomSampler;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.task.Limits;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.RetryPolicy;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.Work;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trials that go wrong in every way, by chance: each has its state, and the study goes on. */
class RandomFaultsTest {

  private static final StudySettings SETTINGS =
      new StudySettings(
          "faults",
          new Space(List.of(new Parameter("x", new RealDomain(0, 1, 0, false)))),
          Direction.MINIMIZE,
          "loss",
          new Seed(1),
          JsonNodeFactory.instance.textNode("random"),
          JsonNodeFactory.instance.textNode("none"),
          Order.FIXED,
          4);

  /** A way in which a trial ends. */
  private record Fault(String script, TrialState state, String reason) {}

  private static final List<Fault> FAULTS =
      List.of(
          new Fault("echo '{\"loss\":1}'", TrialState.COMPLETE, ""),
          new Fault("echo '{\"step\":1,\"loss\":1}'; kill -9 $$", TrialState.FAILED, "signal 9"),
          new Fault("exit 3", TrialState.FAILED, "exit code 3"),
          new Fault("sleep 1000", TrialState.TIMED_OUT, "took longer"),
          new Fault("trap '' TERM; sleep 1000 & wait; wait", TrialState.TIMED_OUT, "took longer"),
          new Fault("head -c 3000 /dev/urandom", TrialState.FAILED, "printed no metric 'loss'"),
          new Fault("echo '{\"loss\":\"NaN\"}'", TrialState.FAILED, "the metric is NaN"),
          new Fault("echo '{\"loss\":\"Infinity\"}'", TrialState.FAILED, "the metric is Infinity"),
          new Fault("echo '{\"loss\":'; echo '{\"loss\":2}'", TrialState.COMPLETE, ""),
          new Fault(
              "head -c 3000000 /dev/zero; echo; echo '{\"loss\":3}'", TrialState.COMPLETE, ""),
          new Fault("echo full > /dev/full", TrialState.FAILED, "exit code 1: "),
          new Fault("sleep 1000 & echo '{\"loss\":4}'", TrialState.COMPLETE, ""),
          new Fault("exec no-such-program-here", TrialState.FAILED, "exit code 127"));

  @Test
  void eachFaultHasItsState(@TempDir Path folder) throws Exception {
    // In order: each once.
    check(folder, FAULTS, 0);
  }

  @Test
  @Tag("slow")
  void fiveHundredFaultsByChance(@TempDir Path folder) throws Exception {
    SplittableRandom random = TestSeed.of(RandomFaultsTest.class).random();
    List<Fault> faults = random.ints(500, 0, FAULTS.size()).mapToObj(FAULTS::get).toList();
    check(folder, faults, 12);
  }

  /** Runs trials with these faults; the driver is interrupted now and then. */
  private static void check(Path folder, List<Fault> faults, int interruptions) throws Exception {
    StudyState state =
        Watchdog.within(
            Duration.ofMinutes(9),
            () -> {
              for (int i = 1; i <= interruptions; i++) {
                run(folder, faults, (long) faults.size() * i / (interruptions + 1));
              }
              return run(folder, faults, Long.MAX_VALUE);
            });
    assertEquals(faults.size(), state.trials().size());
    for (Trial trial : state.trials()) {
      Fault fault = faults.get((int) trial.number());
      assertEquals(fault.state, trial.state(), fault.script + ": " + trial.reason());
      assertTrue(trial.reason().contains(fault.reason), fault.script + ": " + trial.reason());
      assertFalse(fault.state == TrialState.COMPLETE && Double.isNaN(trial.value()), fault.script);
    }
  }

  private static StudyState run(Path folder, List<Fault> faults, long interruptAfter)
      throws InterruptedException {
    TrialPlan plan =
        new TrialPlan(
            faults.size(),
            4,
            Limits.DEFAULT
                .withTime(Duration.ofMillis(1500))
                .withGrace(Duration.ofMillis(200))
                .with(Limits.Enforcement.NEVER),
            RetryPolicy.NONE,
            StopRules.NONE,
            0,
            List.of(),
            List.of(),
            TrialStorage.in(folder.resolve("trials")));
    Path study = folder.resolve("study");
    try (StudySession session =
            StudySession.exists(study)
                ? StudySession.resume(study, SETTINGS, note -> {})
                : StudySession.begin(study, SETTINGS, note -> {});
        TaskEngine engine = new LocalEngine()) {
      Interrupting watcher = new Interrupting(interruptAfter);
      StudyLoop loop =
          new StudyLoop(
              SETTINGS,
              plan,
              new RandomSampler(),
              Pruner.NONE,
              call -> {
                int number = Integer.parseInt(call.folder().getFileName().toString());
                Work work =
                    new Work.CommandWork(
                        List.of("sh", "-c", faults.get(number).script),
                        Map.of(),
                        Work.Protocol.DEFAULT,
                        call);
                return List.of(new Task.Alternative(work, new Needs(1, 0, 0, 0)));
              },
              session.journal(),
              session.state(),
              engine,
              watcher);
      watcher.loop = loop;
      return loop.run().state();
    }
  }

  /** Interrupts the study when so many trials have ended. */
  private static final class Interrupting implements StudyWatcher {

    private final long after;
    private StudyLoop loop;

    Interrupting(long after) {
      this.after = after;
    }

    @Override
    public void changed(StudyState state, int running, Map<Long, String> waiting) {
      if (state.byArrival().size() >= after) {
        loop.interrupt();
      }
    }

    @Override
    public void note(String line) {}
  }
}
