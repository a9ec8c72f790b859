package dev.tandem.tune.task;

import java.util.concurrent.CompletableFuture;

/** A task that was submitted. Thread-safe. */
public interface TaskHandle {

  TaskId id();

  /**
   * How the task ends, after its last attempt; done only after the listener heard of it. Never
   * exceptional.
   */
  CompletableFuture<Outcome> outcome();

  /** Ends it, waiting or running; returns at once. Of one that has ended: nothing. */
  void cancel();
}
