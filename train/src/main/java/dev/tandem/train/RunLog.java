package dev.tandem.train;

import dev.tandem.posix.LogFile;
import dev.tandem.train.config.TrainingConfig;
import dev.tandem.train.tensorboard.EventFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Where rank 0 writes its events: {@code metrics.jsonl}, a file for TensorBoard, and standard
 * output. A file that cannot be written is reported in a line and never ends the training. Any
 * thread.
 */
public final class RunLog implements AutoCloseable {

  /** The name of the file with all events. */
  public static final String METRICS = "metrics.jsonl";

  private final Path run;
  private final Clock clock;
  private final LogFile metrics;
  private Optional<EventFile> tensorBoard = Optional.empty();
  private boolean silent;

  /** The log of a run; nothing is opened before the first event. */
  public RunLog(Path run, Clock clock) {
    this.run = run;
    this.clock = clock;
    metrics = new LogFile(run.resolve(METRICS), System.err::println);
  }

  /** Leaves standard output alone, which belongs to the program that trains. */
  synchronized RunLog silent() {
    silent = true;
    return this;
  }

  /** Continues after this many steps; what was reported of later ones becomes void. */
  synchronized void begin(long step) {
    EventFile board = EventFile.create(run, step, clock, System.err::println);
    tensorBoard = Optional.of(board);
    Path config = run.resolve(TrainingConfig.FILE);
    try {
      if (Files.exists(config)) {
        // Indented lines are shown as they are.
        board.addText(step, "config", Files.readString(config).indent(4));
      }
    } catch (IOException e) {
      System.err.println("TensorBoard does not show the configuration: cannot read " + config);
    }
  }

  /** Reports an event to whoever started this process, and keeps it. */
  synchronized void write(TrainingEvent event) {
    String json = keep(event);
    if (!silent) {
      System.out.println(TrainingEvent.LINE_PREFIX + json);
    }
    tensorBoard.ifPresent(board -> show(event, board));
  }

  /** Adds an event to {@code metrics.jsonl}; gives its line. */
  public synchronized String keep(TrainingEvent event) {
    String json = event.json(clock.millis());
    metrics.add((json + "\n").getBytes(StandardCharsets.UTF_8));
    metrics.flush();
    return json;
  }

  private static void show(TrainingEvent event, EventFile board) {
    switch (event) {
      case TrainingEvent.Step step -> {
        Map<String, Double> numbers = new HashMap<>();
        numbers.put("train/loss", step.loss());
        numbers.put("train/learning rate", step.learningRate());
        numbers.put("train/gradient norm", step.gradientNorm());
        numbers.put("train/batch", (double) step.batch());
        if (step.ms() > 0) {
          numbers.put("train/images per second", 1e3 * step.batch() / step.ms());
        }
        if (step.accuracy() != null) {
          numbers.put("train/accuracy", step.accuracy().doubleValue());
        }
        board.add(step.step(), numbers);
      }
      case TrainingEvent.Epoch epoch -> {
        board.add(
            epoch.step(),
            epoch.regression() == null
                ? Map.of("test/accuracy", epoch.testAccuracy(), "test/loss", epoch.testLoss())
                : Map.of(
                    "test/loss", epoch.testLoss(),
                    "test/MSE", epoch.regression().mse(),
                    "test/MAE", epoch.regression().mae(),
                    "test/R2", epoch.regression().r2()));
        board.flush();
      }
      case TrainingEvent.Result _ -> board.flush();
      case TrainingEvent.Loading _,
          TrainingEvent.Stragglers _,
          TrainingEvent.Ranks _,
          TrainingEvent.SystemLoad _,
          TrainingEvent.Checkpoint _,
          TrainingEvent.Begin _,
          TrainingEvent.Rewind _,
          TrainingEvent.Generation _,
          TrainingEvent.Layers _,
          TrainingEvent.Note _,
          TrainingEvent.End _ -> {
        // TensorBoard shows numbers over steps.
      }
    }
  }

  @Override
  public synchronized void close() {
    tensorBoard.ifPresent(EventFile::close);
    metrics.close();
  }
}
