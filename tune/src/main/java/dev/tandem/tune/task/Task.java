package dev.tandem.tune.task;

import java.util.List;

/**
 * Work that is ready to run.
 *
 * @param alternatives the same in different ways; the first that a node can hold is taken
 * @param firstAttempt the number of its first attempt: 1, or more if it was tried before
 */
public record Task(
    TaskId id,
    List<Alternative> alternatives,
    Limits limits,
    RetryPolicy retries,
    List<Input> inputs,
    int firstAttempt) {

  /** One way to do it, and what that takes. */
  public record Alternative(Work work, Needs needs) {}

  public Task {
    if (alternatives.isEmpty()) {
      throw new IllegalArgumentException("a task without work");
    }
    alternatives = List.copyOf(alternatives);
    inputs = List.copyOf(inputs);
  }

  /** A task with one way to do it, which was not tried before. */
  public Task(TaskId id, Work work, Needs needs, Limits limits, RetryPolicy retries) {
    this(id, List.of(new Alternative(work, needs)), limits, retries, List.of(), 1);
  }

  /** The same, as if only this way were left. */
  public Task only(Alternative chosen) {
    return new Task(id, List.of(chosen), limits, retries, inputs, firstAttempt);
  }

  /** The same, with attempts counted from this one. */
  public Task from(int attempt) {
    return new Task(id, alternatives, limits, retries, inputs, attempt);
  }
}
