package dev.tandem.train;

import dev.tandem.posix.FileErrors;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where rank 0 writes its events: {@code metrics.jsonl} and standard output. One thread. */
final class RunLog implements AutoCloseable {

  private final Path file;
  private final BufferedWriter writer;
  private final PrintStream out;

  RunLog(Path run, PrintStream out) {
    this.file = run.resolve("metrics.jsonl");
    this.out = out;
    try {
      writer = Files.newBufferedWriter(file);
    } catch (IOException e) {
      throw FileErrors.failure("write", file, e);
    }
  }

  void write(TrainingEvent event) {
    String json = event.json();
    out.println(TrainingEvent.LINE_PREFIX + json);
    try {
      // One flush a line: a reader of the file never sees half of one.
      writer.write(json + "\n");
      writer.flush();
    } catch (IOException e) {
      throw FileErrors.failure("write", file, e);
    }
  }

  @Override
  public void close() {
    try {
      writer.close();
    } catch (IOException e) {
      throw FileErrors.failure("write", file, e);
    }
  }
}
