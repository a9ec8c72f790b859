package dev.tandem.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.testkit.TestSeed;
import dev.tandem.tune.StudySettings.Order;
import dev.tandem.tune.journal.Journal;
import dev.tandem.tune.local.LocalEngine;
import dev.tandem.tune.prune.Decision;
import dev.tandem.tune.prune.Pruner;
import dev.tandem.tune.sample.tpe.TpeSampler;
import dev.tandem.tune.sample.tpe.TpeSettings;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.task.Limits;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Objective;
import dev.tandem.tune.task.RetryPolicy;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.Work;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StudyTest {

  private static final Space SPACE =
      new Space(
          List.of(
              new Parameter("x", new RealDomain(-5, 5, 0, false)),
              new Parameter("y", new RealDomain(-5, 5, 0, false))));

  private static double value(Parameters at) {
    return Math.pow(at.real("x") - 1, 2) + Math.pow(at.real("y") + 2, 2);
  }

  @Test
  void findsTheMinimum() {
    StudyState study =
        Study.minimize(SPACE, trial -> value(trial.parameters()))
            .with(new TpeSampler(TpeSettings.TANDEM))
            .trials(100)
            .run();
    assertEquals(100, study.count(TrialState.COMPLETE));
    assertTrue(study.best().orElseThrow().value() < 1, study.best().toString());
  }

  @Test
  void goesOnFromItsJournal(@TempDir Path folder) {
    Study study =
        Study.minimize(SPACE, trial -> value(trial.parameters()))
            .with(new TpeSampler(TpeSettings.TANDEM));
    List<Trial> whole = study.trials(40).run().trials();
    study.in(folder).trials(15).run();
    List<Trial> resumed = study.in(folder).trials(40).run().trials();
    assertEquals(
        whole.stream().map(Trial::parameters).toList(),
        resumed.stream().map(Trial::parameters).toList());
    assertThrows(UsageException.class, () -> study.in(folder).with(new Seed(9)).trials(50).run());
  }

  @Test
  void anyNumberOfWorkersGivesTheSameTrials() throws InterruptedException {
    long delays = TestSeed.of(StudyTest.class).value();
    Objective slow =
        trial -> {
          Seed seed = new Seed(delays).derive(trial.number());
          for (int step = 1; step <= 3; step++) {
            LockSupport.parkNanos(seed.derive(step).random().nextInt(3_000_000));
            if (!trial.report(step, value(trial.parameters()) * (4 - step))) {
              return Double.NaN;
            }
          }
          if (trial.number() % 7 == 3) {
            throw new IllegalStateException("lost");
          }
          return value(trial.parameters());
        };
    List<Trial> one = trials(slow, 1);
    for (int workers = 2; workers <= 4; workers++) {
      List<Trial> more = trials(slow, workers);
      for (int i = 0; i < one.size(); i++) {
        assertEquals(one.get(i).parameters(), more.get(i).parameters(), "trial " + i);
        assertEquals(one.get(i).state(), more.get(i).state(), "trial " + i);
        assertEquals(one.get(i).value(), more.get(i).value(), "trial " + i);
      }
    }
    assertTrue(one.stream().anyMatch(trial -> trial.state() == TrialState.PRUNED));
  }

  private static List<Trial> trials(Objective objective, int workers) throws InterruptedException {
    Pruner pruner =
        (trial, history) ->
            history.ended().stream()
                        .filter(other -> other.state() == TrialState.COMPLETE)
                        .filter(other -> other.value() < trial.reports().getLast().value())
                        .count()
                    > 8
                ? new Decision.Stop("worse than eight")
                : Decision.GO_ON;
    return run(objective, workers, pruner, StopRules.NONE).state().trials();
  }

  private static StudyEnd run(Objective objective, int workers, Pruner pruner, StopRules rules)
      throws InterruptedException {
    StudySettings settings =
        new StudySettings(
            "study",
            SPACE,
            Direction.MINIMIZE,
            "value",
            new Seed(5),
            JsonNodeFactory.instance.textNode("tpe"),
            JsonNodeFactory.instance.textNode("own"),
            Order.FIXED,
            4);
    TrialPlan plan =
        new TrialPlan(
            40,
            workers,
            Limits.DEFAULT,
            RetryPolicy.NONE,
            rules,
            0,
            List.of(),
            List.of(),
            TrialStorage.in(Path.of("trials")));
    try (TaskEngine engine = new LocalEngine()) {
      return new StudyLoop(
              settings,
              plan,
              new TpeSampler(TpeSettings.TANDEM),
              pruner,
              call ->
                  List.of(
                      new Task.Alternative(
                          new Work.JavaWork(objective, call), new Needs(1, 0, 0, 0))),
              Journal.none(),
              new StudyState(Direction.MINIMIZE, "value"),
              engine,
              StudyWatcher.NONE)
          .run();
    }
  }

  @Test
  void aTargetEndsTheStudyAtTheSameTrial() throws InterruptedException {
    StopRules target =
        new StopRules(Optional.of(3.0), Optional.empty(), Optional.empty(), Optional.empty());
    Objective objective = trial -> value(trial.parameters());
    List<Trial> one = run(objective, 1, Pruner.NONE, target).state().trials();
    List<Trial> four = run(objective, 4, Pruner.NONE, target).state().trials();
    assertEquals(one, four.stream().map(trial -> same(one, trial)).toList());
    assertTrue(one.size() < 40 && one.getLast().value() <= 3);
  }

  /** The same trial without the time it took. */
  private static Trial same(List<Trial> all, Trial trial) {
    Trial other = all.get((int) trial.number());
    assertEquals(other.parameters(), trial.parameters());
    assertEquals(other.value(), trial.value());
    return other;
  }
}
