package dev.tandem.tune.local;

import dev.tandem.core.Seed;
import dev.tandem.core.TandemException;
import dev.tandem.tune.prune.Decision;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.task.Attempt;
import dev.tandem.tune.task.Call;
import dev.tandem.tune.task.Ending;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.TaskContext;
import dev.tandem.tune.task.TaskListener;
import dev.tandem.tune.task.Work.JavaWork;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** One attempt as Java code on the calling thread, which a cancellation interrupts. */
final class JavaAttempt implements Running, TaskContext {

  private final JavaWork work;
  private final Attempt attempt;
  private final TaskListener listener;
  private final Thread thread = Thread.currentThread();
  private Optional<AttemptFolder> folder = Optional.empty();
  private Optional<Outcome> end = Optional.empty();
  private OptionalLong pauseAt = OptionalLong.empty();
  private long saved = Long.MIN_VALUE;
  private volatile boolean cancelled;

  JavaAttempt(JavaWork work, Attempt attempt, TaskListener listener) {
    this.work = work;
    this.attempt = attempt;
    this.listener = listener;
  }

  Ending run() {
    long began = System.nanoTime();
    listener.started(attempt);
    Outcome outcome = outcome();
    return new Ending(outcome, false, (System.nanoTime() - began) / 1e9, Double.NaN);
  }

  private Outcome outcome() {
    try {
      double value = work.objective().run(this);
      return cancelled
          ? new Outcome.Cancelled()
          : end.orElseGet(() -> new Outcome.Completed(value));
    } catch (Exception e) {
      if (cancelled) {
        return new Outcome.Cancelled();
      }
      if (end.isPresent()) {
        return end.get();
      }
      String reason = e instanceof TandemException ? e.getMessage() : e.toString();
      return new Outcome.Failed(reason.strip().replaceAll("\\s*\\R\\s*", " | "));
    } finally {
      // The interruption was meant for the objective, not for what the thread does next.
      if (cancelled) {
        boolean _ = Thread.interrupted();
      }
    }
  }

  @Override
  public void cancel() {
    cancelled = true;
    thread.interrupt();
  }

  @Override
  public Parameters parameters() {
    return work.call().parameters();
  }

  @Override
  public Seed seed() {
    return work.call().seed();
  }

  @Override
  public long number() {
    return attempt.task().number();
  }

  @Override
  public long budget() {
    return work.call().budget();
  }

  @Override
  public boolean report(long step, double value) {
    if (end.isPresent()) {
      return false;
    }
    Call call = work.call();
    switch (listener.report(attempt, step, Map.of(call.metric(), value))) {
      case Decision.GoOn any -> {}
      case Decision.Stop(String reason) -> end = Optional.of(new Outcome.Stopped(reason));
      case Decision.Pause(long at) -> {
        pauseAt = OptionalLong.of(at);
        pauseIfSaved();
      }
    }
    return end.isEmpty();
  }

  private void pauseIfSaved() {
    if (pauseAt.isPresent() && saved >= pauseAt.getAsLong()) {
      end = Optional.of(new Outcome.Paused(pauseAt.getAsLong()));
    }
  }

  @Override
  public Path checkpointFolder() {
    if (folder.isEmpty()) {
      folder = Optional.of(AttemptFolder.make(work.call(), attempt.number()));
    }
    return folder.get().checkpoints();
  }

  @Override
  public void checkpoint(long step, Path path) {
    listener.checkpoint(attempt, step, checkpointFolder().resolve(path).toString());
    saved = Math.max(saved, step);
    pauseIfSaved();
  }

  @Override
  public String resumeFrom() {
    return work.call().resumeFrom();
  }
}
