package dev.tandem.tune.graph;

import dev.tandem.tune.task.TaskId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers of tasks and their names. Thread-safe. */
final class TaskNames {

  private final String graph;
  private final List<String> names = new ArrayList<>();
  private final Map<String, TaskId> ids = new HashMap<>();

  /**
   * Names of a graph's tasks.
   *
   * @param known those that have the first numbers
   */
  TaskNames(String graph, List<String> known) {
    this.graph = graph;
    known.forEach(this::id);
  }

  synchronized int count() {
    return names.size();
  }

  synchronized String of(int number) {
    return names.get(number);
  }

  String of(TaskId id) {
    return of(Math.toIntExact(id.number()));
  }

  /** The task of this name; a name that is new gets the next number. */
  synchronized TaskId id(String name) {
    return ids.computeIfAbsent(
        name,
        any -> {
          names.add(name);
          return new TaskId(graph, names.size() - 1L);
        });
  }

  /** A message with names of tasks instead of numbers. */
  synchronized String in(String message) {
    String text = message;
    for (int number = names.size() - 1; number >= 0; number--) {
      text = text.replace(graph + "/" + number, names.get(number));
    }
    return text;
  }
}
