package dev.tandem.data.read.mode;

import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.Environment;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which records a staged copy of a database has; the places of all others are empty in its file. It
 * stands beside the data file as text, so that readers refuse records that were not copied.
 *
 * @param description what was staged, in a line
 * @param from first ordinals of ranges, ascending
 * @param to ordinals after the ranges
 */
public record StagedRecords(String description, List<Long> from, List<Long> to) {

  private static final String HEADER = "tandem staged records, version 1";

  public StagedRecords {
    from = List.copyOf(from);
    to = List.copyOf(to);
  }

  /** Where the list of a data file stands. */
  public static Path fileOf(Path database) {
    Path data = Environment.dataFile(database);
    return data.resolveSibling(data.getFileName() + ".staged");
  }

  /** The list of a database, if it is a staged copy. */
  public static Optional<StagedRecords> of(Path database) {
    Path file = fileOf(database);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      List<String> lines = Files.readAllLines(file);
      if (lines.size() < 2 || !lines.getFirst().equals(HEADER)) {
        throw new WorkFailedException("cannot use " + file + ": it is no list of staged records");
      }
      List<Long> from = new ArrayList<>();
      List<Long> to = new ArrayList<>();
      for (String line : lines.subList(2, lines.size())) {
        int space = line.indexOf(' ');
        from.add(Long.parseLong(line.substring(0, space)));
        to.add(Long.parseLong(line.substring(space + 1)));
      }
      return Optional.of(new StagedRecords(lines.get(1), from, to));
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
      throw new WorkFailedException("cannot use " + file + ": it is damaged; stage again", e);
    }
  }

  /** Writes the list beside a data file. */
  public void save(Path database) {
    StringBuilder text = new StringBuilder(HEADER).append('\n').append(description).append('\n');
    for (int i = 0; i < from.size(); i++) {
      text.append(from.get(i)).append(' ').append(to.get(i)).append('\n');
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
    DurableFiles.system().replace(fileOf(database), ByteBuffer.wrap(bytes));
  }

  /** Fails if a record was not staged. */
  public void require(long ordinal) {
    int low = 0;
    int high = from.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (to.get(middle) <= ordinal) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == from.size() || ordinal < from.get(low)) {
      throw new WorkFailedException(
          "record %d is not in this staged copy, which has %s; read the original"
              .formatted(ordinal, description));
    }
  }
}
