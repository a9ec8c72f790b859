package dev.tandem.tune.config;

import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import dev.tandem.tune.StopRules;
import dev.tandem.tune.StudySettings.Order;
import dev.tandem.tune.TrialStorage;
import dev.tandem.tune.remote.SparkOptions;
import dev.tandem.tune.task.Limits;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.RetryPolicy;
import dev.tandem.tune.task.Work.Protocol.Answers;
import dev.tandem.tune.trial.Direction;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A study as its configuration says it.
 *
 * @param name of the study and its folder; otherwise that of the file
 * @param space the parameters, or the name of a file with them
 * @param metric the name of the value to make small or large
 * @param trials how many; without it all points of a grid, or 100
 * @param repeats how often the same parameters are tried
 * @param workers trials at the same time; otherwise as many as there is room for
 * @param window how many trials may run without a suggestion seeing them; otherwise the workers
 * @param budget the last step wanted of a trial
 * @param enqueue parameters to try first
 * @param inputs files that each trial finds in its folder {@code inputs}
 * @param shareData whether trainings of one host prepare their samples once for all
 * @param keep which checkpoints of a trial are kept
 * @param freeSpace how much must be free in the runs folder before a trial starts
 * @param trace whether {@code timeline.json} is written
 * @param spark which Spark, if trials run there
 */
public record StudyConfig(
    Optional<String> name,
    Tree space,
    Objective objective,
    @Default("value") String metric,
    @Default("minimize") Direction direction,
    Optional<Long> trials,
    @Default("1") int repeats,
    @Default("tpe") Tree sampler,
    @Default("none") Tree pruner,
    @Default("0") long seed,
    Optional<Integer> workers,
    Optional<Integer> window,
    @Default("fixed") Order order,
    @Default("0") long budget,
    @Default("[]") Tree enqueue,
    NeedsKeys needs,
    LimitKeys limits,
    RetryKeys retries,
    StopKeys stop,
    @Default("{}") Tree inputs,
    @Default("false") boolean shareData,
    KeepKeys keep,
    @Default("64 MiB") String freeSpace,
    @Default("true") boolean trace,
    @Default("local") Engine engine,
    SparkOptions spark) {

  /** Where trials keep their files. */
  TrialStorage storage(Path folder) {
    return new TrialStorage(folder, keep.last, keep.best, Amount.bytes("free-space", freeSpace));
  }

  /** Where trials run. */
  public enum Engine {
    /** On this machine. */
    LOCAL,
    /** On Apache Spark. */
    SPARK
  }

  /**
   * What a trial does.
   *
   * @param command words of a program, with placeholders
   * @param train a configuration of {@code tandem train}
   * @param environment variables of the program
   * @param metrics how the program says its values: json, {@code {format: katib}} or {@code {regex:
   *     ...}}
   * @param answers how it hears decisions
   */
  public record Objective(
      Optional<List<String>> command,
      Optional<String> train,
      @Default("{}") Map<String, String> environment,
      @Default("json") Tree metrics,
      @Default("signal") Answers answers) {

    public Objective {
      if (command.isPresent() == train.isPresent()) {
        throw new UsageException("expected one of command and train");
      }
      if (command.filter(List::isEmpty).isPresent()) {
        throw new UsageException("command is empty, expected the words of a program");
      }
    }
  }

  /** What a trial takes while it runs. */
  public record NeedsKeys(
      @Default("1") int cores,
      @Default("0") int gpus,
      @Default("0") String memory,
      @Default("1") int ranks) {

    Needs needs() {
      return new Needs(ranks, cores, gpus, Amount.bytes("needs.memory", memory));
    }
  }

  /** What a trial must not exceed. */
  public record LimitKeys(
      @Default("0") String time,
      @Default("10s") String grace,
      @Default("0") int processes,
      @Default("64 MiB") String output,
      @Default("auto") Limits.Enforcement enforce) {

    Limits limits() {
      return new Limits(
          Amount.time("limits.time", time),
          Amount.time("limits.grace", grace),
          processes,
          Amount.bytes("limits.output", output),
          enforce);
    }
  }

  /**
   * Which checkpoints of a trial are kept.
   *
   * @param last so many, from the last of which it goes on; 0 for all
   * @param best and so many of the others, those with the best metric
   */
  public record KeepKeys(@Default("0") int last, @Default("0") int best) {}

  /** How often a trial that failed is tried again. */
  public record RetryKeys(
      @Default("1") int sameNode, @Default("2") int otherNode, @Default("false") boolean timeouts) {

    RetryPolicy policy() {
      return new RetryPolicy(sameNode, otherNode, timeouts);
    }
  }

  /** When the study ends before all its trials. */
  public record StopKeys(
      Optional<Double> target,
      Optional<Integer> patience,
      Optional<String> time,
      Optional<Integer> failures) {

    StopRules rules() {
      Optional<Duration> duration = time.map(text -> Amount.time("stop.time", text));
      return new StopRules(target, patience, duration, failures);
    }
  }
}
