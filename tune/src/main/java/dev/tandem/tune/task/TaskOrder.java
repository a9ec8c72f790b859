package dev.tandem.tune.task;

import dev.tandem.core.UsageException;
import dev.tandem.tune.task.TaskGraph.Planned;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Whether the tasks of a graph can all run. */
public final class TaskOrder {

  private TaskOrder() {}

  /** What a task takes: the first of its alternatives that these nodes could hold. */
  static Needs needs(Task task, List<Node> nodes) {
    for (Task.Alternative each : task.alternatives()) {
      if (each.needs().fit(nodes)) {
        return each.needs();
      }
    }
    Needs last = task.alternatives().getLast().needs();
    last.requireRoom(nodes);
    return last;
  }

  /**
   * Refuses tasks that could never all run.
   *
   * @param there tasks that are in the graph already
   * @throws UsageException if one is there twice, comes after a task that is not there or after
   *     itself, or finds no room on these nodes
   */
  public static void requirePossible(List<Planned> plans, Set<TaskId> there, List<Node> nodes) {
    Set<TaskId> all = new HashSet<>(there);
    for (Planned plan : plans) {
      if (!all.add(plan.task().id())) {
        throw new UsageException("task %s is there twice".formatted(plan.task().id()));
      }
      try {
        var _ = needs(plan.task(), nodes);
      } catch (UsageException e) {
        throw new UsageException("task %s: %s".formatted(plan.task().id(), e.getMessage()));
      }
    }
    for (Planned plan : plans) {
      for (TaskId before : plan.after()) {
        if (!all.contains(before)) {
          throw new UsageException(
              "task %s comes after %s, which is not there".formatted(plan.task().id(), before));
        }
      }
    }
    requireOrder(plans);
  }

  /** Refuses tasks that wait for each other. */
  private static void requireOrder(List<Planned> plans) {
    Set<TaskId> here = new HashSet<>();
    plans.forEach(plan -> here.add(plan.task().id()));
    Map<TaskId, Integer> open = new LinkedHashMap<>();
    Map<TaskId, List<TaskId>> next = new HashMap<>();
    Deque<TaskId> free = new ArrayDeque<>();
    for (Planned plan : plans) {
      TaskId id = plan.task().id();
      List<TaskId> before = plan.after().stream().filter(here::contains).toList();
      open.put(id, before.size());
      before.forEach(each -> next.computeIfAbsent(each, any -> new ArrayList<>()).add(id));
      if (before.isEmpty()) {
        free.add(id);
      }
    }
    while (!free.isEmpty()) {
      TaskId id = free.poll();
      open.remove(id);
      for (TaskId after : next.getOrDefault(id, List.of())) {
        if (open.merge(after, -1, Integer::sum) == 0) {
          free.add(after);
        }
      }
    }
    if (!open.isEmpty()) {
      throw new UsageException(
          "tasks wait for each other: "
              + String.join(", ", open.keySet().stream().map(TaskId::toString).limit(8).toList()));
    }
  }
}
