package dev.tandem.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.tune.StudySession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Processes that drive studies, for tests that end them, and what their journals hold. */
final class TuneDriver {

  private static final ObjectMapper JSON = new ObjectMapper();

  private TuneDriver() {}

  /** An example of this repository. */
  static Path example(String name) {
    return Path.of("..", "examples", name).toAbsolutePath().normalize();
  }

  /** Writes {@code train.yaml}, a training of a small network on random images. */
  static void training(Path folder, int images, int epochs) throws IOException {
    Path data = folder.resolve("records");
    CommandRun.done("data", "make", "--kind", "cifar", "--records", images, data);
    CommandRun.done("data", "index", data);
    Files.writeString(
        folder.resolve("train.yaml"),
        """
        network: {model: caffe-cifar}
        data: {train: %1$s, test: %1$s}
        epochs: %2$d
        batch: {global: 50}
        """
            .formatted(data, epochs));
  }

  /** Starts {@code tandem} as a process of its own. */
  static Process start(Path log, Object... arguments) throws IOException {
    return start(List.of(), log, arguments);
  }

  /** The same with words before it, such as of {@code env}. */
  static Process start(List<String> before, Path log, Object... arguments) throws IOException {
    List<String> words = new ArrayList<>(before);
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1"));
    words.addAll(List.of("-cp", System.getProperty("java.class.path"), Tandem.class.getName()));
    Stream.of(arguments).map(Object::toString).forEach(words::add);
    return new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile()).start();
  }

  /** Waits until a journal has so many records of a type. */
  static void await(Path study, String type, int count) throws IOException {
    while (!StudySession.exists(study) || records(study, type).size() < count) {
      LockSupport.parkNanos(20_000_000);
    }
  }

  /** The records of a type, in order. */
  static List<JsonNode> records(Path study, String type) throws IOException {
    List<JsonNode> found = new ArrayList<>();
    for (String line : Files.readString(study.resolve("study.journal")).split("\n", -1)) {
      if (line.contains("\"type\":\"" + type + "\"") && line.endsWith("}")) {
        found.add(JSON.readTree(line.substring(line.indexOf(' ') + 1)));
      }
    }
    return found;
  }

  static JsonNode json(Path file) throws IOException {
    return JSON.readTree(file.toFile());
  }
}
