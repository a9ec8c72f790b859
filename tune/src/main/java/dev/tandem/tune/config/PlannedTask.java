package dev.tandem.tune.config;

import dev.tandem.tune.task.Task;
import java.util.List;
import java.util.Optional;

/**
 * A task of a graph, before it has a number.
 *
 * @param name with those of its parents in front of it, divided by points
 * @param parent the task that added it
 * @param after the names of tasks that it comes after, without its parent
 */
public record PlannedTask(
    String name, Optional<String> parent, List<String> after, int priority, Body body) {

  /** Makes the task itself. */
  @FunctionalInterface
  public interface Body {
    /**
     * The task with its number.
     *
     * @param number counts from 0
     */
    Task numbered(long number);
  }

  /** The last part of a name, by which tasks of one file know each other and their parent. */
  public static String shortName(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
