package dev.tandem.train;

import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.nn.Loss;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.train.config.ConfigFile;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Training from a program, as {@code tandem train} does it:
 *
 * <pre>{@code
 * TrainingResult result =
 *     Training.of(Path.of("train.yaml"))
 *         .set("epochs=3")
 *         .network(network)                 // a NetworkBuilder's, instead of the key network
 *         .data(training, test)             // own sources, instead of the key data
 *         .on(listener)
 *         .run();
 * }</pre>
 *
 * <p>A program alone trains in its own process. Under {@code tandem run -n 2 -- Main} each process
 * runs the same program and becomes a rank of the job: all make the same calls with the same
 * values, and share the work. Rank 0 writes the run's folder, which is that of {@code tandem
 * train}: eval, predict, export and resume take it.
 *
 * <p>For one run and one thread. What it is given stays the caller's.
 */
public final class Training {

  private final Optional<TrainingConfig> fixed;
  private ConfigFile file;
  private Path run;
  private Optional<ProgramParts.Data> data = Optional.empty();
  private Optional<Loss> loss = Optional.empty();
  private final List<TrainingListener> listeners = new ArrayList<>();
  private RunStart start = RunStart.BEGINNING;
  private boolean launched;

  private Training(Optional<TrainingConfig> fixed, ConfigFile file, Path run) {
    this.fixed = fixed;
    this.file = file;
    this.run = run;
  }

  /** Training as a configuration file says; the run is named after the file. */
  public static Training of(Path configuration) {
    String name = configuration.getFileName().toString().replaceFirst("\\.[^.]*$", "");
    return new Training(Optional.empty(), ConfigFile.read(configuration), Path.of(name));
  }

  /** Training as a configuration in YAML says, such as one in a text block. */
  public static Training of(String yaml) {
    return new Training(Optional.empty(), ConfigFile.parse("configuration", yaml), Path.of("java"));
  }

  /** A rank of {@code tandem train}, which has made the folder. */
  static Training launched(TrainingConfig config, Path run) {
    Training training = new Training(Optional.of(config), null, run);
    training.launched = true;
    return training;
  }

  /** Changes values: each {@code key=value}, as {@code --set} does. */
  public Training set(String... settings) {
    file = file.with(List.of(settings));
    return this;
  }

  /** Trains this network instead of the one that the configuration names. */
  public Training network(NetworkSpec network) {
    file = file.withNetwork(network);
    return this;
  }

  /**
   * Trains on these records, and evaluates on those, instead of what the configuration names. All
   * ranks give the same records in the same order.
   */
  public Training data(RecordSource training, RecordSource test) {
    data = Optional.of(new ProgramParts.Data(training, test));
    return this;
  }

  /** Minimises this loss instead of the network's. */
  public Training loss(Loss other) {
    loss = Optional.of(other);
    return this;
  }

  /** Lets a listener know of what happens, on rank 0. */
  public Training on(TrainingListener listener) {
    listeners.add(listener);
    return this;
  }

  /** Keeps the run in this folder, instead of a new one below {@code runs}. */
  public Training folder(Path folder) {
    run = folder.toAbsolutePath().normalize();
    return this;
  }

  /** Continues from the last checkpoint in the {@link #folder}. */
  public Training resume() {
    start = RunStart.CHECKPOINT_OR_BEGINNING;
    return this;
  }

  /** What the run begins with. */
  Training startingWith(RunStart other) {
    start = other;
    return this;
  }

  /**
   * Trains to the end.
   *
   * @throws UsageException if the configuration is wrong
   * @throws dev.tandem.core.WorkFailedException if the work failed
   * @throws dev.tandem.core.StoppedException if the process was asked to end (SIGTERM) and has
   *     saved; {@link #resume} continues
   * @throws dev.tandem.core.PeerLostException if another rank was lost
   */
  public TrainingResult run() {
    TrainingConfig config = fixed.orElseGet(this::config);
    Listeners calls = new Listeners(listeners);
    if (launched) {
      return RankMain.train(config, _ -> run, start, parts(calls, _ -> {}));
    }
    try (ProgramRun own =
        new ProgramRun(config, Path.of("runs"), run, start != RunStart.BEGINNING)) {
      try {
        TrainingResult result = RankMain.train(config, own, start, parts(calls, own::add));
        own.done();
        calls.end(result);
        return result;
      } catch (RuntimeException e) {
        own.failed(e);
        throw e;
      }
    }
  }

  private ProgramParts parts(Listeners calls, Consumer<TrainingEvent> record) {
    return new ProgramParts(data, loss, calls, record, launched);
  }

  private TrainingConfig config() {
    return data.isPresent() ? file.describing(data.get().training()).config() : file.checked();
  }
}
