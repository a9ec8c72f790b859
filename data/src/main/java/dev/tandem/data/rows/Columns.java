package dev.tandem.data.rows;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What the numbers of rows mean: kept as {@code columns.json} beside a database of rows.
 *
 * @param inputs the columns that are learned from, in the order of their numbers
 * @param targets one with classes (type category), or one or more numbers
 * @param missing what becomes of rows with empty fields
 */
public record Columns(List<Column> inputs, List<Column> targets, Missing missing) {

  /** The name of the file beside a database. */
  public static final String FILE = "columns.json";

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /** What becomes of a row in which a field is missing, or has a text that is unknown. */
  public enum Missing {
    /** It is an error. */
    @JsonProperty("error")
    ERROR,
    /** A number is the mean of its column, a text none of the known ones. */
    @JsonProperty("mean")
    MEAN,
    /** The row is left out. */
    @JsonProperty("skip")
    SKIP
  }

  public Columns {
    inputs = List.copyOf(inputs);
    targets = List.copyOf(targets);
  }

  /** Those of a database, if it is one of rows. */
  public static Optional<Columns> of(Path database) {
    Path file = database.resolve(FILE);
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(JSON.readValue(Files.readString(file), Columns.class));
    } catch (JsonProcessingException e) {
      throw new WorkFailedException(file + " is damaged: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  /** The content of {@link #FILE}. */
  public String json() {
    try {
      return JSON.writeValueAsString(this) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Numbers in a row's input. */
  public int width() {
    return inputs.stream().mapToInt(Column::width).sum();
  }

  /** Whether the target is a class. */
  public boolean classes() {
    return targets.getFirst().type() == Column.Type.CATEGORY;
  }

  /** Names of the classes; empty if targets are numbers. */
  public List<String> classNames() {
    return targets.getFirst().categories();
  }
}
