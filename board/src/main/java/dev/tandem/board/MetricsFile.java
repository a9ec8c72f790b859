package dev.tandem.board;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.WorkFailedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads the {@code metrics.jsonl} of a run, of any version, also while it is written. What a run
 * reported of steps that it had to make again ({@code rewind}) is left out, as are lines that are
 * not JSON and a last one without its end. Takes the memory of one event, however long the run is.
 */
public final class MetricsFile {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String REWIND = "rewind";
  private static final int CHUNK = 1 << 16;

  /** A rewind in a line, with the smallest step of it and of all rewinds after it. */
  private record Rewind(long line, long step) {}

  /** Gets the lines of a file with their numbers; false to read no further. */
  private interface Lines {

    boolean take(long number, String line);
  }

  private MetricsFile() {}

  /**
   * Calls for each event that holds, in the order of the file; rewinds are among them.
   *
   * @param events gets objects that name their kind and, from version 2 on, their time {@code t}
   */
  public static void forEach(Path file, Consumer<JsonNode> events) {
    Deque<Rewind> found = new ArrayDeque<>();
    long[] count = {0};
    read(
        file,
        (number, line) -> {
          count[0] = number + 1;
          rewind(line).ifPresent(step -> found.push(new Rewind(number, step)));
          return true;
        });
    Deque<Rewind> rewinds = new ArrayDeque<>();
    for (Rewind each : found) { // the last one first
      long step = rewinds.isEmpty() ? each.step : Math.min(each.step, rewinds.peek().step);
      rewinds.push(new Rewind(each.line, step));
    }
    read(
        file,
        (number, line) -> {
          while (!rewinds.isEmpty() && rewinds.peek().line <= number) {
            rewinds.pop();
          }
          long last = rewinds.isEmpty() ? Long.MAX_VALUE : rewinds.peek().step;
          // What is appended meanwhile may be void by a rewind that was not there.
          boolean seen = number < count[0];
          if (seen) {
            event(line).filter(event -> event.path("step").asLong() <= last).ifPresent(events);
          }
          return seen;
        });
  }

  /** Calls for each object of a file of another kind, one a line. */
  static void forEachObject(Path file, Consumer<JsonNode> objects) {
    read(
        file,
        (number, line) -> {
          object(line).ifPresent(objects);
          return true;
        });
  }

  private static Optional<Long> rewind(String line) {
    return line.contains(REWIND)
        ? event(line)
            .filter(event -> event.path("event").asText().equals(REWIND))
            .map(event -> event.path("step").asLong())
        : Optional.empty();
  }

  /** A process that was killed, or a full disk, may leave a line in part. */
  private static Optional<JsonNode> event(String line) {
    return object(line).filter(event -> event.path("event").isTextual());
  }

  private static Optional<JsonNode> object(String line) {
    try {
      return Optional.of(JSON.readTree(line)).filter(JsonNode::isObject);
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  private static void read(Path file, Lines lines) {
    try (InputStream stream = Files.newInputStream(file)) {
      ByteArrayOutputStream line = new ByteArrayOutputStream();
      byte[] chunk = new byte[CHUNK];
      long number = 0;
      for (int count = stream.read(chunk); count > 0; count = stream.read(chunk)) {
        int from = 0;
        for (int i = 0; i < count; i++) {
          if (chunk[i] == '\n') {
            line.write(chunk, from, i - from);
            if (!lines.take(number++, line.toString(StandardCharsets.UTF_8))) {
              return;
            }
            line.reset();
            from = i + 1;
          }
        }
        line.write(chunk, from, count - from);
      }
    } catch (IOException e) {
      throw new WorkFailedException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }
}
