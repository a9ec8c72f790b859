package dev.tandem.bench.tune;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.DebianTorch;
import dev.tandem.core.WorkFailedException;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.space.SpaceYaml;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Debian's Optuna as a process that is asked for parameters and told values. One thread. */
final class OptunaPeer implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Process process;
  private final BufferedReader answers;
  private final BufferedWriter orders;
  private Space space;
  private double cpuSeconds;

  /** Starts it. */
  OptunaPeer(Path script) {
    try {
      process =
          new ProcessBuilder(DebianTorch.PYTHON, script.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    answers = process.inputReader(StandardCharsets.UTF_8);
    orders = process.outputWriter(StandardCharsets.UTF_8);
  }

  /** Its program, written into a folder. */
  static Path script(BenchFolder folder) {
    return folder.extract(OptunaPeer.class, "optuna_ask.py");
  }

  /** Why it is not there, if it is not. */
  static Optional<String> missing() {
    try {
      Process probe =
          new ProcessBuilder(
                  DebianTorch.PYTHON,
                  "-c",
                  "import importlib.util, sys; sys.exit(importlib.util.find_spec('optuna') is"
                      + " None)")
              .start();
      if (probe.waitFor() == 0) {
        return Optional.empty();
      }
    } catch (IOException e) {
      return Optional.of("Python is not installed (Debian: apt-get install python3-optuna)");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted", e);
    }
    return Optional.of("Optuna is not installed (Debian: apt-get install python3-optuna)");
  }

  /** Begins a study and asks for its first trial. */
  Parameters begin(String sampler, long seed, Space searched) {
    space = searched;
    cpuSeconds = 0;
    ObjectNode order = JsonNodeFactory.instance.objectNode();
    order.put("sampler", sampler);
    order.put("seed", seed);
    order.set("space", SpaceYaml.write(searched));
    return ask(order);
  }

  /** Ends a trial and asks for the next one. */
  Parameters next(double value) {
    return ask(JsonNodeFactory.instance.objectNode().put("value", value));
  }

  /** Processor time of all asking and telling of the study. */
  double cpuSeconds() {
    return cpuSeconds;
  }

  private Parameters ask(ObjectNode order) {
    try {
      orders.write(order.toString());
      orders.newLine();
      orders.flush();
      String line = answers.readLine();
      if (line == null) {
        throw new WorkFailedException("Optuna ended in the middle of a study");
      }
      JsonNode answer = JSON.readTree(line);
      cpuSeconds += answer.get("cpu").asDouble();
      Map<String, Object> values = new HashMap<>();
      for (Map.Entry<String, JsonNode> each : answer.get("params").properties()) {
        JsonNode value = each.getValue();
        values.put(
            each.getKey(),
            value.isTextual()
                ? value.asText()
                : value.isIntegralNumber() ? (Object) value.asLong() : (Object) value.asDouble());
      }
      // In the order of the space.
      return space.choose(parameter -> values.get(parameter.name()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
