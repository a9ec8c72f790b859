package dev.tandem.tune;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.tune.StudySettings.Order;
import dev.tandem.tune.journal.Journal;
import dev.tandem.tune.local.InlineEngine;
import dev.tandem.tune.local.LocalEngine;
import dev.tandem.tune.prune.Population;
import dev.tandem.tune.prune.Pruner;
import dev.tandem.tune.sample.DistinctSampler;
import dev.tandem.tune.sample.RandomSampler;
import dev.tandem.tune.sample.Sampler;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.task.Limits;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Objective;
import dev.tandem.tune.task.RetryPolicy;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.Work;
import dev.tandem.tune.trial.Direction;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A search over Java code: {@code Study.minimize(space,
 * objective).with(sampler).trials(100).run()}. Immutable; each method gives another study.
 *
 * @param workers trials at the same time; one runs on the calling thread
 * @param folder where it keeps its journal, from which it goes on if it is run again; without one
 *     it is in memory
 */
public record Study(
    Space space,
    Objective objective,
    Direction direction,
    Sampler sampler,
    Pruner pruner,
    long trials,
    int workers,
    Seed seed,
    StopRules stop,
    Optional<Path> folder) {

  private static final String METRIC = "value";

  /** A search for small values: 100 random trials, one after the other. */
  public static Study minimize(Space space, Objective objective) {
    return new Study(
        space,
        objective,
        Direction.MINIMIZE,
        new RandomSampler(),
        Pruner.NONE,
        100,
        1,
        new Seed(0),
        StopRules.NONE,
        Optional.empty());
  }

  /** A search for large values. */
  public static Study maximize(Space space, Objective objective) {
    Study study = minimize(space, objective);
    return new Study(
        space,
        objective,
        Direction.MAXIMIZE,
        study.sampler,
        study.pruner,
        study.trials,
        study.workers,
        study.seed,
        study.stop,
        study.folder);
  }

  public Study with(Sampler other) {
    return new Study(
        space, objective, direction, other, pruner, trials, workers, seed, stop, folder);
  }

  public Study with(Pruner other) {
    return new Study(
        space, objective, direction, sampler, other, trials, workers, seed, stop, folder);
  }

  public Study with(StopRules other) {
    return new Study(
        space, objective, direction, sampler, pruner, trials, workers, seed, other, folder);
  }

  public Study with(Seed other) {
    return new Study(
        space, objective, direction, sampler, pruner, trials, workers, other, stop, folder);
  }

  public Study trials(long count) {
    return new Study(
        space, objective, direction, sampler, pruner, count, workers, seed, stop, folder);
  }

  public Study workers(int count) {
    return new Study(
        space, objective, direction, sampler, pruner, trials, count, seed, stop, folder);
  }

  /** Keeps a journal in a folder. */
  public Study in(Path place) {
    return new Study(
        space,
        objective,
        direction,
        sampler,
        pruner,
        trials,
        workers,
        seed,
        stop,
        Optional.of(place));
  }

  /** Runs the trials that are missing. */
  public StudyState run() {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    StudySettings settings =
        new StudySettings(
            folder.map(place -> place.getFileName().toString()).orElse("study"),
            space,
            direction,
            METRIC,
            seed,
            nodes.textNode(sampler.getClass().getSimpleName()),
            nodes.textNode(pruner.getClass().isHidden() ? "" : pruner.getClass().getSimpleName()),
            Order.FIXED,
            pruner instanceof Population ? (int) Math.max(workers, trials) : workers);
    if (folder.isEmpty()) {
      return run(settings, Journal.none(), new StudyState(direction, METRIC), Path.of("trials"));
    }
    Path place = folder.get();
    try (StudySession session =
        StudySession.exists(place)
            ? StudySession.resume(place, settings, note -> {})
            : StudySession.begin(place, settings, note -> {})) {
      return run(settings, session.journal(), session.state(), place.resolve("trials"));
    }
  }

  private StudyState run(
      StudySettings settings, Journal journal, StudyState state, Path trialFolder) {
    // Java code shares the processors of this process: what it needs is not counted.
    Needs needs = new Needs(1, 0, 0, 0);
    TrialPlan plan =
        new TrialPlan(
            trials,
            workers,
            Limits.DEFAULT,
            RetryPolicy.NONE,
            stop,
            0,
            List.of(),
            List.of(),
            TrialStorage.in(trialFolder));
    try (TaskEngine engine = workers == 1 ? new InlineEngine() : new LocalEngine()) {
      return new StudyLoop(
              settings,
              plan,
              new DistinctSampler(sampler, 1),
              pruner,
              call -> List.of(new Task.Alternative(new Work.JavaWork(objective, call), needs)),
              journal,
              state,
              engine,
              StudyWatcher.NONE)
          .run()
          .state();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("the study was interrupted", e);
    }
  }
}
