package dev.tandem.tune.task;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** What a task does. */
public sealed interface Work {

  /** What it is called with. */
  Call call();

  /** The same with another call. */
  Work with(Call other);

  /**
   * Java code in the process of the engine, which no limit binds; on another node only if the class
   * of the objective is public and has a constructor without arguments.
   */
  record JavaWork(Objective objective, Call call) implements Work {

    @Override
    public Work with(Call other) {
      return new JavaWork(objective, other);
    }
  }

  /**
   * A program, which reports by lines of its output.
   *
   * @param command words, with the placeholders {@code {NAME}} of a parameter, {@code {args}},
   *     {@code {args:hydra}}, {@code {params_file}}, {@code {trial}}, {@code {seed}}
   * @param environment additional variables
   */
  record CommandWork(
      List<String> command, Map<String, String> environment, Protocol protocol, Call call)
      implements Work {

    public CommandWork {
      command = List.copyOf(command);
      environment = Map.copyOf(environment);
    }

    @Override
    public Work with(Call other) {
      return new CommandWork(command, environment, protocol, other);
    }
  }

  /**
   * A run of {@code tandem train}, whose configuration keys the parameters are.
   *
   * @param program words that start Tandem, such as a Java command with its class path
   * @param configuration the file
   * @param directory in which it runs: data that the configuration names is looked for from there
   * @param share by which trials of one host have their prepared samples in common; empty for
   *     samples of its own
   */
  record TrainWork(
      List<String> program, Path configuration, Path directory, String share, Call call)
      implements Work {

    public TrainWork {
      program = List.copyOf(program);
    }

    @Override
    public Work with(Call other) {
      return new TrainWork(program, configuration, directory, share, other);
    }
  }

  /**
   * How a program says its metrics and hears what to do.
   *
   * @param metrics what its lines look like
   * @param regex with {@link Metrics#REGEX}: groups {@code name} and {@code value}, or one group,
   *     the value
   * @param answers how it hears decisions
   */
  record Protocol(Metrics metrics, Optional<Pattern> regex, Answers answers) {

    /** JSON lines and a signal. */
    public static final Protocol DEFAULT =
        new Protocol(Metrics.JSON, Optional.empty(), Answers.SIGNAL);

    /** What a line with metrics looks like. */
    public enum Metrics {
      /** A JSON object. */
      JSON,
      /** {@code name=value}. */
      KATIB,
      /** What an expression finds. */
      REGEX
    }

    /** How a program hears that it is to stop. */
    public enum Answers {
      /** By SIGTERM, and a file that appears. */
      SIGNAL,
      /** By a line of its standard input after each report. */
      STDIN
    }
  }
}
