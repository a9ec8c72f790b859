package dev.tandem.tune.task;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** An engine that a test may close while others go on with it: what the test submitted ends. */
public record SharedEngine(TaskEngine engine, Queue<TaskHandle> submitted) implements TaskEngine {

  /** Nothing is submitted yet. */
  public SharedEngine(TaskEngine engine) {
    this(engine, new ConcurrentLinkedQueue<>());
  }

  @Override
  public List<Node> nodes() {
    return engine.nodes();
  }

  @Override
  public TaskHandle submit(Task task, TaskListener events) {
    TaskHandle handle = engine.submit(task, events);
    submitted.add(handle);
    return handle;
  }

  @Override
  public void close() {
    submitted.forEach(TaskHandle::cancel);
    submitted.forEach(each -> each.outcome().join());
  }
}
