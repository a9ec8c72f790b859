package dev.tandem.train;

import dev.tandem.posix.FileErrors;
import dev.tandem.train.tensorboard.EventFile;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Where rank 0 writes its events: {@code metrics.jsonl}, a file for TensorBoard, and standard
 * output. One thread.
 */
final class RunLog implements AutoCloseable {

  /** The name of the file with all events. */
  static final String METRICS = "metrics.jsonl";

  private final Path file;
  private final Writer writer;
  private final EventFile tensorBoard;
  private final Consumer<String> out;

  private RunLog(Path file, Writer writer, EventFile tensorBoard, Consumer<String> out) {
    this.file = file;
    this.writer = writer;
    this.tensorBoard = tensorBoard;
    this.out = out;
  }

  /**
   * The log of a run that goes on after this many steps; what a stopped run told of later ones is
   * forgotten.
   */
  static RunLog open(Path run, long step) {
    Path file = run.resolve(METRICS);
    try {
      List<String> kept =
          step == 0 || !Files.exists(file)
              ? List.of()
              : Files.readAllLines(file).stream().filter(line -> upTo(line, step)).toList();
      Files.write(file, kept);
      Writer writer = Files.newBufferedWriter(file, StandardOpenOption.APPEND);
      return new RunLog(
          file, writer, EventFile.create(run, step, Clock.systemUTC()), System.out::println);
    } catch (IOException e) {
      throw FileErrors.failure("write", file, e);
    }
  }

  private static boolean upTo(String line, long step) {
    OptionalLong told =
        TrainingEvent.ofLine(TrainingEvent.LINE_PREFIX + line)
            .map(TrainingEvent::after)
            .orElse(OptionalLong.empty());
    return told.isPresent() && told.getAsLong() <= step;
  }

  void write(TrainingEvent event) {
    String json = event.json();
    out.accept(TrainingEvent.LINE_PREFIX + json);
    try {
      // One flush a line: a reader of the file never sees half of one.
      writer.write(json + "\n");
      writer.flush();
    } catch (IOException e) {
      throw FileErrors.failure("write", file, e);
    }
    switch (event) {
      case TrainingEvent.Step step -> {
        tensorBoard.add(
            step.step(),
            Map.of(
                "train/loss", step.loss(),
                "train/learning rate", step.learningRate(),
                "train/gradient norm", step.gradientNorm(),
                "train/batch", (double) step.batch()));
      }
      case TrainingEvent.Epoch epoch -> {
        tensorBoard.add(
            epoch.step(),
            Map.of("test/accuracy", epoch.testAccuracy(), "test/loss", epoch.testLoss()));
        tensorBoard.flush();
      }
      case TrainingEvent.Loading loading -> {
        // TensorBoard shows numbers.
      }
      case TrainingEvent.Result result -> tensorBoard.flush();
    }
  }

  @Override
  public void close() {
    try (tensorBoard) {
      writer.close();
    } catch (IOException e) {
      throw FileErrors.failure("write", file, e);
    }
  }
}
