package dev.tandem.tune.remote;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.tandem.tune.task.Node;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Writes lines of JSON to a pipe. Thread-safe: lines stay whole. */
final class JsonLines {

  static final ObjectMapper MAPPER = new ObjectMapper();

  private final OutputStream output;

  JsonLines(OutputStream output) {
    this.output = output;
  }

  /** Writes a line; throws if nobody reads any more. */
  void write(JsonNode line) {
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
    synchronized (this) {
      try {
        output.write(bytes);
        output.flush();
      } catch (IOException e) {
        throw new UncheckedIOException("the other end of the pipe is closed", e);
      }
    }
  }

  static JsonNode parse(String line) {
    try {
      return MAPPER.readTree(line);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException("not a line of the protocol: " + line, e);
    }
  }

  static ArrayNode write(List<Node> nodes) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    for (Node node : nodes) {
      array
          .addObject()
          .put("name", node.name())
          .put("cores", node.cores())
          .put("gpus", node.gpus())
          .put("memoryBytes", node.memoryBytes());
    }
    return array;
  }

  static List<Node> readNodes(JsonNode array) {
    List<Node> nodes = new ArrayList<>();
    for (JsonNode each : array) {
      nodes.add(
          new Node(
              each.path("name").asText(),
              each.path("cores").asInt(),
              each.path("gpus").asInt(),
              each.path("memoryBytes").asLong()));
    }
    return List.copyOf(nodes);
  }
}
