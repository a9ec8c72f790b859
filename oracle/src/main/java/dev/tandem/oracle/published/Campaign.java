package dev.tandem.oracle.published;

import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.tandem.core.UsageException;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoublePredicate;

/**
 * Measurements of a campaign: a CSV file with the columns {@code source, model, dataset, strategy,
 * gpus, batch_per_gpu, quantity, unit, value, note}, of which source, unit and note may be missing.
 *
 * @param name of the file
 * @param rows in the file's order
 */
public record Campaign(String name, List<Measurement> rows) {

  private static final String BUILT_IN = "paradl-abci.csv";
  private static final String CONGESTED = "congestion_suspect";

  private static final List<String> REQUIRED =
      List.of("model", "dataset", "strategy", "gpus", "batch_per_gpu", "quantity", "value");

  public Campaign {
    rows = List.copyOf(rows);
  }

  /** What is published of the ParaDL campaign on ABCI. */
  public static Campaign builtIn() {
    try (InputStream stream = Campaign.class.getResourceAsStream(BUILT_IN)) {
      return parse(BUILT_IN, new InputStreamReader(stream, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The measurements in a file.
   *
   * @throws UsageException one line that names the file, the line and what is wrong there
   */
  public static Campaign read(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new UsageException("there is no file " + file);
    }
    try (Reader reader = Files.newBufferedReader(file)) {
      return parse(file.toString(), reader);
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  private static Campaign parse(String name, Reader text) throws IOException {
    List<Measurement> rows = new ArrayList<>();
    try (CsvReader<NamedCsvRecord> reader =
            CsvReader.builder()
                .detectBomHeader(false)
                .allowUnclosedQuote(false)
                .ofNamedCsvRecord(text);
        CloseableIterator<NamedCsvRecord> records = reader.iterator()) {
      while (records.hasNext()) {
        rows.add(row(name, records.next()));
      }
    } catch (CsvParseException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      if (cause instanceof UsageException known) {
        throw known;
      }
      throw new UsageException(
          "%s: not a CSV file with the columns %s: %s"
              .formatted(
                  name,
                  String.join(", ", REQUIRED),
                  String.valueOf(cause.getMessage()).lines().findFirst().orElse("")));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    if (rows.isEmpty()) {
      throw new UsageException(name + ": no measurements");
    }
    return new Campaign(name, rows);
  }

  private static Measurement row(String name, NamedCsvRecord record) {
    String place = name + ":" + record.getStartingLineNumber();
    for (String column : REQUIRED) {
      if (record.findField(column).isEmpty()) {
        throw new UsageException(
            "%s: column %s is missing; expected %s"
                .formatted(place, column, String.join(", ", REQUIRED)));
      }
    }
    DoublePredicate known = number -> number > 0;
    return new Measurement(
        place,
        optional(record, "source"),
        required(place, record, "model"),
        record.getField("dataset").strip(),
        required(place, record, "strategy"),
        (int)
            number(
                place,
                record,
                "gpus",
                true,
                known.and(number -> number == Math.rint(number) && number <= Integer.MAX_VALUE)),
        number(place, record, "batch_per_gpu", true, known),
        required(place, record, "quantity"),
        optional(record, "unit"),
        number(place, record, "value", false, _ -> true),
        optional(record, "note").contains(CONGESTED));
  }

  private static String optional(NamedCsvRecord record, String column) {
    return record.findField(column).orElse("").strip();
  }

  private static String required(String place, NamedCsvRecord record, String column) {
    String field = record.getField(column).strip();
    if (field.isEmpty()) {
      throw new UsageException("%s: %s is empty".formatted(place, column));
    }
    return field;
  }

  private static double number(
      String place,
      NamedCsvRecord record,
      String column,
      boolean mayBeMissing,
      DoublePredicate allowed) {
    String field = record.getField(column).strip();
    if (field.isEmpty() && mayBeMissing) {
      return 0;
    }
    try {
      double number = Double.parseDouble(field);
      if (Double.isFinite(number) && allowed.test(number)) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below, as for a number that is not allowed.
    }
    throw new UsageException(
        "%s: %s is '%s', expected %s"
            .formatted(
                place,
                column,
                field,
                switch (column) {
                  case "gpus" -> "a whole number of at least 1";
                  case "batch_per_gpu" -> "a number above 0";
                  default -> "a number";
                }));
  }
}
