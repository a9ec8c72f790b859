package dev.tandem.train;

import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where rank 0 writes its events: {@code metrics.jsonl} and standard output; the other ranks are
 * silent. One thread.
 */
final class RunLog implements AutoCloseable {

  private final Path file;
  private final Writer writer;
  private final PrintStream out;

  private RunLog(Path file, Writer writer, PrintStream out) {
    this.file = file;
    this.writer = writer;
    this.out = out;
  }

  static RunLog open(Path run, int rank) {
    Path file = run.resolve("metrics.jsonl");
    if (rank != 0) {
      return new RunLog(
          file,
          Writer.nullWriter(),
          new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
    }
    try {
      return new RunLog(file, Files.newBufferedWriter(file), System.out);
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
