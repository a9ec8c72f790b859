package dev.tandem.tune.task;

import java.util.List;

/**
 * Runs tasks where there is room for them, each at least once. Every implementation passes {@code
 * TaskEngineContract}. Thread-safe.
 */
public interface TaskEngine extends AutoCloseable {

  /** Where tasks run, now. */
  List<Node> nodes();

  /**
   * Runs a task as soon as there is room; of those that wait, the one submitted first.
   *
   * @throws dev.tandem.core.UsageException if no alternative could ever run on these nodes
   */
  TaskHandle submit(Task task, TaskListener events);

  /** Cancels what runs, waits for its end, and leaves nothing behind. */
  @Override
  void close();
}
