package dev.tandem.bench.tune;

import dev.tandem.bench.BenchFolder;
import dev.tandem.core.WorkFailedException;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.TaskHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Programs that only sleep, N at a time: how much of the ideal speed an engine reaches, whose
 * rounds take exactly as long as one sleep.
 *
 * @param sleeps how many, after one that is not counted
 * @param seconds of each
 */
record ScalingCase(int sleeps, double seconds) {

  /** The sleeps of the thesis' grid: 27 of 2 s. */
  static final ScalingCase THESIS = new ScalingCase(27, 2);

  private static final Needs NO_CORE = new Needs(1, 0, 0, 0);

  /** The time of the ideal over that of the engine, with N sleeps at a time. */
  double efficiency(TaskEngine engine, int workers, BenchFolder folder) {
    submit(engine, folder, sleeps, 0.001).outcome().join();
    long began = System.nanoTime();
    List<CompletableFuture<Outcome>> running = new ArrayList<>();
    List<Outcome> outcomes = new ArrayList<>();
    for (int sleep = 0; sleep < sleeps; sleep++) {
      if (running.size() == workers) {
        outcomes.add(first(running));
      }
      running.add(submit(engine, folder, sleep, seconds).outcome());
    }
    running.forEach(each -> outcomes.add(each.join()));
    double took = (System.nanoTime() - began) / 1e9;
    for (Outcome outcome : outcomes) {
      if (!(outcome instanceof Outcome.Completed)) {
        throw new WorkFailedException("a sleep did not complete: " + outcome.explanation());
      }
    }
    return Math.ceilDiv(sleeps, workers) * seconds / took;
  }

  /** Waits until one has ended, and takes it out. */
  private static Outcome first(List<CompletableFuture<Outcome>> running) {
    CompletableFuture.anyOf(running.toArray(CompletableFuture[]::new)).join();
    int at = 0;
    while (!running.get(at).isDone()) {
      at++;
    }
    return running.remove(at).join();
  }

  private static TaskHandle submit(
      TaskEngine engine, BenchFolder folder, int number, double sleep) {
    return ScriptTask.submit(
        engine, folder, number, NO_CORE, "sleep %s; echo '{\"value\":1}'".formatted(sleep));
  }
}
