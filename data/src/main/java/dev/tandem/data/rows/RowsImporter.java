package dev.tandem.data.rows;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.ArrayRecord;
import dev.tandem.data.format.Keys;
import dev.tandem.data.importing.Importer;
import dev.tandem.data.importing.RecordSink;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Rows of a CSV file, each an {@link ArrayRecord}. The file is read twice: first to find out what
 * its columns are, then for the records.
 */
public final class RowsImporter implements Importer {

  private final CsvFile file;
  private final Columns columns;
  private final long rows;
  private final List<String> leftOut;
  private long skippedRows;

  private RowsImporter(CsvFile file, Columns columns, long rows, List<String> leftOut) {
    this.file = file;
    this.columns = columns;
    this.rows = rows;
    this.leftOut = leftOut;
  }

  /** Finds out what the columns are. */
  public static RowsImporter of(Path path, RowOptions options) {
    CsvFile file = CsvFile.open(path, options.header());
    if (options.labels().isEmpty()) {
      throw new UsageException(
          "--label must name the column of %s to be predicted; it has %s"
              .formatted(path, String.join(", ", file.names())));
    }
    options.types().keySet().forEach(file::column);
    Map<String, ColumnScan> targets = scans(file, options.labels());
    List<String> wanted =
        options.inputs().isEmpty()
            ? file.names().stream().filter(name -> !targets.containsKey(name)).toList()
            : options.inputs();
    Map<String, ColumnScan> inputs = scans(file, wanted);
    long[] rows = {0};
    file.forEach(
        row -> {
          rows[0]++;
          targets.values().forEach(scan -> scan.add(row));
          inputs.values().forEach(scan -> scan.add(row));
        });
    if (rows[0] == 0) {
      throw new WorkFailedException(path + " has no rows");
    }
    List<String> leftOut = new ArrayList<>();
    Columns columns = columns(options, targets, inputs, leftOut);
    if (columns.inputs().isEmpty()) {
      throw new UsageException(path + " has no column to learn from besides the label");
    }
    return new RowsImporter(file, columns, rows[0], leftOut);
  }

  /** Takes the columns to be what those of another database are. */
  public static RowsImporter like(Path path, Columns columns, boolean header) {
    return new RowsImporter(CsvFile.open(path, header), columns, 0, List.of());
  }

  private static Map<String, ColumnScan> scans(CsvFile file, List<String> names) {
    Map<String, ColumnScan> scans = new LinkedHashMap<>();
    for (String name : names) {
      scans.put(name, new ColumnScan(name, file.column(name)));
    }
    return scans;
  }

  private static Columns columns(
      RowOptions options,
      Map<String, ColumnScan> targets,
      Map<String, ColumnScan> inputs,
      List<String> leftOut) {
    List<Column> found = new ArrayList<>();
    inputs.forEach(
        (name, scan) -> {
          Optional<Column.Type> type = Optional.ofNullable(options.types().get(name));
          if (type.isEmpty() && options.inputs().contains(name)) {
            found.add(scan.named());
            return;
          }
          scan.input(type)
              .ifPresentOrElse(
                  found::add,
                  () ->
                      leftOut.add(
                          "column %s, which has more than %d different texts (--types %s=code keeps it)"
                              .formatted(name, ColumnScan.MOST_CATEGORIES, name)));
        });
    List<Column> predicted = new ArrayList<>();
    targets.forEach(
        (name, scan) -> predicted.add(scan.target(Optional.ofNullable(options.types().get(name)))));
    if (predicted.size() > 1
        && predicted.stream().anyMatch(column -> column.type() != Column.Type.NUMBER)) {
      throw new UsageException(
          "--label %s: several columns can be predicted only if all are numbers, with --types"
                  .formatted(String.join(",", targets.keySet()))
              + " COLUMN=number where they are integers");
    }
    return new Columns(found, predicted, options.missing());
  }

  /** What the numbers mean. */
  public Columns columns() {
    return columns;
  }

  @Override
  public OptionalLong count() {
    return rows == 0 ? OptionalLong.empty() : OptionalLong.of(rows);
  }

  @Override
  public void importTo(RecordSink sink) {
    RowEncoder encoder = new RowEncoder(columns, file, true);
    List<Integer> shape = List.of(columns.width());
    long[] number = {0};
    file.forEach(
        row -> {
          Optional<float[]> inputs = encoder.inputs(row);
          Optional<float[]> targets = encoder.targets(row);
          if (inputs.isEmpty() || targets.isEmpty()) {
            skippedRows++;
            return;
          }
          ArrayRecord record =
              columns.classes()
                  ? ArrayRecord.of(shape, inputs.get(), (long) targets.get()[0])
                  : ArrayRecord.of(shape, inputs.get(), -1, targets.get());
          sink.put(
              MemorySegment.ofArray(Keys.padded(number[0]++, 8)),
              MemorySegment.ofArray(record.encode()));
        });
  }

  @Override
  public List<String> skipped() {
    List<String> lines = new ArrayList<>(leftOut);
    if (skippedRows > 0) {
      lines.add("%,d rows with missing values".formatted(skippedRows));
    }
    return lines;
  }

  @Override
  public List<String> labels() {
    return columns.classNames();
  }

  @Override
  public Map<String, String> files() {
    return Map.of(Columns.FILE, columns.json());
  }
}
