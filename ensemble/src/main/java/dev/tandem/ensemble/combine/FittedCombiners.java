package dev.tandem.ensemble.combine;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code combine.json} in the folder of an ensemble: weights and coefficients, fitted to all
 * held-out samples. Immutable; the file is replaced whole.
 *
 * @param members their names
 * @param steps of the checkpoints that were asked, by member
 * @param combiners by the word of their method
 */
public record FittedCombiners(
    int version, List<String> members, List<Long> steps, Map<String, Combiner> combiners) {

  /** The name of the file. */
  public static final String FILE = "combine.json";

  private static final int VERSION = 1;
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  public FittedCombiners {
    members = List.copyOf(members);
    steps = List.copyOf(steps);
    combiners = new LinkedHashMap<>(combiners);
  }

  static FittedCombiners of(
      List<String> members, List<Long> steps, Map<CombineMethod, Combiner> combiners) {
    Map<String, Combiner> coded = new LinkedHashMap<>();
    combiners.forEach((method, combiner) -> coded.put(method.code(), combiner));
    return new FittedCombiners(VERSION, members, steps, coded);
  }

  /** What is in a folder, if it was fitted to these checkpoints of these members. */
  static Optional<FittedCombiners> in(Path folder, List<String> members, List<Long> steps) {
    Path file = folder.resolve(FILE);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      FittedCombiners fitted = JSON.readValue(Files.readString(file), FittedCombiners.class);
      boolean same =
          fitted.version == VERSION && fitted.members.equals(members) && fitted.steps.equals(steps);
      return same ? Optional.of(fitted) : Optional.empty();
    } catch (JsonProcessingException e) {
      return Optional.empty(); // of another version, or damaged: fitted again
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  /** Replaces the file in a folder. */
  void write(Path folder) {
    try {
      byte[] text = (JSON.writeValueAsString(this) + "\n").getBytes(StandardCharsets.UTF_8);
      DurableFiles.system().replace(folder.resolve(FILE), ByteBuffer.wrap(text));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
