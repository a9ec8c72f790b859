package dev.tandem.data.rows;

import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A CSV file in UTF-8, read from the beginning as often as needed. Fields are separated by commas,
 * semicolons, tabs or vertical bars, whichever the first line has most of, and may be quoted.
 */
public final class CsvFile {

  private static final String SEPARATORS = ",;\t|";

  private final Path file;
  private final char separator;
  private final boolean header;
  private final List<String> names;

  private CsvFile(Path file, char separator, boolean header, List<String> names) {
    this.file = file;
    this.separator = separator;
    this.header = header;
    this.names = names;
  }

  /**
   * Looks at the first line of a file.
   *
   * @param header whether it holds the names of the columns; else they are c1, c2, ...
   */
  public static CsvFile open(Path file, boolean header) {
    if (!Files.isRegularFile(file)) {
      throw new UsageException("there is no file " + file);
    }
    CsvFile unnamed = new CsvFile(file, separator(file), false, List.of());
    List<CsvRow> first = unnamed.first();
    if (first.isEmpty()) {
      throw new WorkFailedException(file + " is empty");
    }
    CsvRow row = first.getFirst();
    List<String> names =
        header
            ? row.fields().stream().map(String::strip).toList()
            : IntStream.rangeClosed(1, row.fields().size()).mapToObj(i -> "c" + i).toList();
    if (header) {
      checkHeader(row, names);
    }
    return new CsvFile(file, unnamed.separator, header, names);
  }

  private static void checkHeader(CsvRow row, List<String> names) {
    if (names.stream().allMatch(CsvRow::number)) {
      throw new UsageException(
          "%s:%d: expected the names of the columns, but all fields are numbers: --no-header if"
                  .formatted(row.file(), row.line())
              + " there are none");
    }
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < names.size(); i++) {
      if (names.get(i).isEmpty() || !seen.add(names.get(i))) {
        throw new UsageException(
            "%s: %s"
                .formatted(
                    row.where(i),
                    names.get(i).isEmpty()
                        ? "the column has no name"
                        : "two columns are named " + names.get(i)));
      }
    }
  }

  private static char separator(Path file) {
    String line;
    try (BufferedReader reader = Files.newBufferedReader(file)) {
      line = reader.readLine();
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
    char best = ',';
    long most = 0;
    for (int i = 0; i < SEPARATORS.length(); i++) {
      char candidate = SEPARATORS.charAt(i);
      long count = line == null ? 0 : line.chars().filter(c -> c == candidate).count();
      if (count > most) {
        most = count;
        best = candidate;
      }
    }
    return best;
  }

  /** Names of the columns, in their order. */
  public List<String> names() {
    return names;
  }

  public Path file() {
    return file;
  }

  /** The place of a column, from 0. */
  int column(String name) {
    int column = names.indexOf(name);
    if (column < 0) {
      throw new UsageException(
          "%s has no column '%s'; it has %s".formatted(file, name, String.join(", ", names)));
    }
    return column;
  }

  /** Hands over every row after the header, in order. */
  public void forEach(Consumer<CsvRow> rows) {
    read(
        iterator -> {
          boolean skip = header;
          while (iterator.hasNext()) {
            CsvRow row = row(iterator.next());
            if (skip) {
              skip = false;
              continue;
            }
            if (row.fields().size() != names.size()) {
              throw new WorkFailedException(
                  "%s:%d: the row has %d fields, expected %d"
                      .formatted(file, row.line(), row.fields().size(), names.size()));
            }
            rows.accept(row);
          }
        });
  }

  private List<CsvRow> first() {
    List<CsvRow> first = new ArrayList<>();
    read(
        iterator -> {
          if (iterator.hasNext()) {
            first.add(row(iterator.next()));
          }
        });
    return first;
  }

  private CsvRow row(CsvRecord record) {
    return new CsvRow(file, record.getStartingLineNumber(), record.getFields());
  }

  private void read(Consumer<CloseableIterator<CsvRecord>> work) {
    try (CsvReader<CsvRecord> reader =
            CsvReader.builder()
                .fieldSeparator(separator)
                .detectBomHeader(true)
                .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                .allowUnclosedQuote(false)
                .ofCsvRecord(file);
        CloseableIterator<CsvRecord> iterator = reader.iterator()) {
      work.accept(iterator);
    } catch (CsvParseException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new WorkFailedException(
          file
              + " cannot be read as CSV: "
              + String.valueOf(cause.getMessage()).lines().findFirst().orElse(""),
          e);
    } catch (UncheckedIOException e) {
      throw FileErrors.failure("read", file, e.getCause());
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }
}
