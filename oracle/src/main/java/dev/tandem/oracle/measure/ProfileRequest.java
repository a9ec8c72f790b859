package dev.tandem.oracle.measure;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.WholeFiles;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What the ranks of a profile measure; a file of the folder in which they work.
 *
 * @param networks whose layers are measured; none for collectives alone
 * @param samples that layers get at once
 * @param strategies whose parts of layers are measured, as {@code --strategy} has them
 * @param threads of the engine in each rank
 * @param device what layers are computed on, as in configurations
 * @param seconds that the runs of one part of a network take, about; those of one collective take a
 *     fifth of it
 * @param longest bytes of a collective
 */
public record ProfileRequest(
    List<Named> networks,
    List<Integer> samples,
    List<String> strategies,
    int threads,
    String device,
    double seconds,
    long longest) {

  /** What {@code tandem profile} spends. */
  public static final double USUAL_SECONDS = 0.6;

  /** 64 MiB. */
  public static final long USUAL_LONGEST = 64L << 20;

  private static final String FILE = "request.json";

  /**
   * A network.
   *
   * @param yaml as {@link dev.tandem.nn.spec.NetworkYaml} has it
   */
  public record Named(String name, String yaml) {}

  public ProfileRequest {
    networks = List.copyOf(networks);
    samples = List.copyOf(samples);
    strategies = List.copyOf(strategies);
  }

  static <T> T read(Path file, Class<T> type) {
    try {
      return new ObjectMapper().readValue(Files.readAllBytes(file), type);
    } catch (JsonProcessingException e) {
      throw new WorkFailedException(file + " is not what a rank of a profile writes", e);
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  static void write(Path file, Object value) {
    try {
      byte[] text = new ObjectMapper().writeValueAsBytes(value);
      WholeFiles.replace(file.toAbsolutePath(), List.of(MemorySegment.ofArray(text)));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The request in a folder. */
  static ProfileRequest in(Path folder) {
    return read(folder.resolve(FILE), ProfileRequest.class);
  }

  /** Puts this into a folder. */
  void save(Path folder) {
    write(folder.resolve(FILE), this);
  }
}
