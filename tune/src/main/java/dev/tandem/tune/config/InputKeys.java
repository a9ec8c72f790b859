package dev.tandem.tune.config;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.core.UsageException;
import dev.tandem.tune.task.Input;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The files that each trial finds in its folder {@code inputs}. */
final class InputKeys {

  private InputKeys() {}

  /**
   * Reads them.
   *
   * @param program whether they are those of a program
   * @param places finds a file that the configuration names
   */
  static List<Input> of(JsonNode tree, boolean program, Function<String, Path> places) {
    if (!tree.isObject()) {
      throw new UsageException("inputs is %s, expected {NAME: FILE, ...}".formatted(tree));
    }
    if (!tree.isEmpty() && !program) {
      throw new UsageException(
          "inputs are files of a program: expected a command; a training reads what its"
              + " configuration names");
    }
    List<Input> inputs = new ArrayList<>();
    for (Map.Entry<String, JsonNode> each : tree.properties()) {
      inputs.add(input(each.getKey(), each.getValue(), places));
    }
    return inputs;
  }

  private static Input input(String name, JsonNode from, Function<String, Path> places) {
    if (name.isEmpty() || name.contains("/") || name.equals(".") || name.equals("..")) {
      throw new UsageException("inputs has '%s', expected the name of a file".formatted(name));
    }
    if (from.path("text").isTextual() && from.size() == 1) {
      return Input.bytes(name, from.get("text").textValue().getBytes(StandardCharsets.UTF_8));
    }
    if (!from.isTextual()) {
      throw new UsageException(
          "inputs.%s is %s, expected a file, or {text: WHAT IT HOLDS}".formatted(name, from));
    }
    Path file = places.apply(from.textValue());
    if (!Files.isRegularFile(file)) {
      throw new UsageException("inputs.%s is %s, which is no file".formatted(name, file));
    }
    return Input.file(name, file);
  }
}
