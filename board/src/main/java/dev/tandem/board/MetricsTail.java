package dev.tandem.board;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The end of a {@code metrics.jsonl}, for lists of runs: how far a run is, without reading what may
 * be gigabytes. Looks at the last megabytes of the file.
 */
final class MetricsTail {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int FIRST = 1 << 16;
  private static final int MOST = 1 << 22;

  private final Path file;

  /** The end of a file, which need not be there. */
  MetricsTail(Path file) {
    this.file = file;
  }

  /** The last event of a kind, if it is near the end. */
  Optional<JsonNode> last(String kind) {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try (FileChannel channel = FileChannel.open(file)) {
      long size = channel.size();
      for (long bytes = FIRST; bytes <= MOST; bytes *= 8) {
        long from = Math.max(0, size - bytes);
        Optional<JsonNode> event = last(kind, text(channel, from, size), from == 0);
        if (event.isPresent() || from == 0) {
          return event;
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  /** The last line may not be complete yet; the first may be the end of one. */
  private static Optional<JsonNode> last(String kind, String text, boolean whole) {
    String[] lines = text.split("\n", -1);
    for (int i = lines.length - 2; i >= (whole ? 0 : 1); i--) {
      if (lines[i].contains("\"" + kind + "\"")) {
        Optional<JsonNode> event = event(lines[i], kind);
        if (event.isPresent()) {
          return event;
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<JsonNode> event(String line, String kind) {
    try {
      return Optional.of(JSON.readTree(line))
          .filter(event -> event.path("event").asText().equals(kind));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  private static String text(FileChannel channel, long from, long end) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) (end - from));
    while (bytes.hasRemaining() && channel.read(bytes, from + bytes.position()) > 0) {}
    return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
  }
}
