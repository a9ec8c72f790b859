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
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Where rank 0 writes its events: {@code metrics.jsonl}, a file for TensorBoard, and standard
 * output. One thread.
 */
final class RunLog implements AutoCloseable {

  /** The name of the file with all events. */
  static final String METRICS = "metrics.jsonl";

  private final Path run;
  private final Path file;
  private Writer writer = Writer.nullWriter();
  private Optional<EventFile> tensorBoard = Optional.empty();

  /** The log of a run; nothing is opened before it begins. */
  RunLog(Path run) {
    this.run = run;
    file = run.resolve(METRICS);
  }

  /** Continues after this many steps; what a stopped run reported of later ones is forgotten. */
  void begin(long step) {
    try {
      List<String> kept =
          step == 0 || !Files.exists(file)
              ? List.of()
              : Files.readAllLines(file).stream().filter(line -> upTo(line, step)).toList();
      Files.write(file, kept);
      writer = Files.newBufferedWriter(file, StandardOpenOption.APPEND);
      tensorBoard = Optional.of(EventFile.create(run, step, Clock.systemUTC()));
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
    System.out.println(TrainingEvent.LINE_PREFIX + json);
    try {
      // One flush a line: a reader of the file never sees half of one.
      writer.write(json + "\n");
      writer.flush();
    } catch (IOException e) {
      throw FileErrors.failure("write", file, e);
    }
    tensorBoard.ifPresent(board -> show(event, board));
  }

  private static void show(TrainingEvent event, EventFile board) {
    switch (event) {
      case TrainingEvent.Step step ->
          board.add(
              step.step(),
              Map.of(
                  "train/loss", step.loss(),
                  "train/learning rate", step.learningRate(),
                  "train/gradient norm", step.gradientNorm(),
                  "train/batch", (double) step.batch()));
      case TrainingEvent.Epoch epoch -> {
        board.add(
            epoch.step(),
            Map.of("test/accuracy", epoch.testAccuracy(), "test/loss", epoch.testLoss()));
        board.flush();
      }
      case TrainingEvent.Loading _, TrainingEvent.Stragglers _ -> {
        // TensorBoard shows numbers.
      }
      case TrainingEvent.Result _ -> board.flush();
    }
  }

  @Override
  public void close() {
    tensorBoard.ifPresent(EventFile::close);
    try {
      writer.close();
    } catch (IOException e) {
      throw FileErrors.failure("write", file, e);
    }
  }
}
