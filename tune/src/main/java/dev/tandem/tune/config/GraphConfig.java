package dev.tandem.tune.config;

import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import dev.tandem.tune.config.StudyConfig.Engine;
import dev.tandem.tune.config.StudyConfig.LimitKeys;
import dev.tandem.tune.config.StudyConfig.NeedsKeys;
import dev.tandem.tune.config.StudyConfig.RetryKeys;
import dev.tandem.tune.remote.SparkOptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A graph of tasks as its configuration says it.
 *
 * @param name of the graph and its folder; otherwise that of the file
 * @param tasks by name
 * @param workers tasks at the same time; otherwise as many as there are cores
 * @param trace whether {@code timeline.json} is written
 * @param spark which Spark, if tasks run there
 */
public record GraphConfig(
    Optional<String> name,
    Tree tasks,
    Optional<Integer> workers,
    @Default("0") long seed,
    @Default("true") boolean trace,
    @Default("local") Engine engine,
    SparkOptions spark) {

  public GraphConfig {
    if (workers.filter(count -> count < 1).isPresent()) {
      throw new UsageException("workers is %d, expected 1 or more".formatted(workers.get()));
    }
  }

  /**
   * A task.
   *
   * @param command words of a program, with placeholders
   * @param train a configuration of {@code tandem train}
   * @param environment variables of the program
   * @param parameters values for placeholders, or keys of the training
   * @param metric a value that it must print; none if it need not
   * @param after names of the tasks that must have completed before it starts
   * @param priority larger ones come first
   * @param alternatives other ways to do it, for nodes that cannot hold this one
   * @param inputs files that it finds in its folder {@code inputs}
   */
  record TaskKeys(
      Optional<List<String>> command,
      Optional<String> train,
      @Default("{}") Map<String, String> environment,
      @Default("{}") Tree parameters,
      @Default("") String metric,
      @Default("[]") List<String> after,
      @Default("0") int priority,
      NeedsKeys needs,
      @Default("[]") List<WayKeys> alternatives,
      LimitKeys limits,
      RetryKeys retries,
      @Default("{}") Tree inputs) {

    WayKeys way() {
      return new WayKeys(command, train, environment, needs);
    }
  }

  /** One way to do a task. */
  record WayKeys(
      Optional<List<String>> command,
      Optional<String> train,
      @Default("{}") Map<String, String> environment,
      NeedsKeys needs) {

    WayKeys {
      if (command.isPresent() == train.isPresent()) {
        throw new UsageException("expected one of command and train");
      }
      if (command.filter(List::isEmpty).isPresent()) {
        throw new UsageException("command is empty, expected the words of a program");
      }
    }
  }
}
