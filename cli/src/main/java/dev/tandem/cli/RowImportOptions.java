package dev.tandem.cli;

import dev.tandem.core.UsageException;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.rows.Column;
import dev.tandem.data.rows.Columns;
import dev.tandem.data.rows.RowOptions;
import dev.tandem.data.rows.RowsImporter;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** What commands share that make records of the rows of a table. */
final class RowImportOptions {

  @Option(
      names = "--label",
      paramLabel = "COLUMN",
      split = ",",
      description =
          "CSV: the column to be predicted. Texts and up to 100 different integers are classes,"
              + " other numbers are values. Several, separated by commas, must all be values.")
  private List<String> label = List.of();

  @Option(
      names = "--columns",
      paramLabel = "COLUMN",
      split = ",",
      description = "CSV: the columns to learn from. Default: all others")
  private List<String> columns = List.of();

  @Option(
      names = "--types",
      paramLabel = "COLUMN=TYPE",
      split = ",",
      description =
          "CSV: types that differ from what is found: number, category (one number per different"
              + " text, up to 100) or code (one number for all, up to 10,000 texts). For --label,"
              + " category means classes.")
  private List<String> types = List.of();

  @Option(
      names = "--missing",
      defaultValue = "error",
      description =
          "CSV: what becomes of rows with empty fields, ${COMPLETION-CANDIDATES}: an error, the mean"
              + " of the column instead, or the row is left out. Default: ${DEFAULT-VALUE}")
  private Columns.Missing missing;

  @Option(names = "--no-header", description = "CSV: no names in line 1; columns are c1, c2, ...")
  private boolean noHeader;

  private boolean given() {
    return !label.isEmpty()
        || !columns.isEmpty()
        || !types.isEmpty()
        || missing != Columns.Missing.ERROR
        || noHeader;
  }

  /** Refuses these options for a source of another format. */
  void requireFor(Path source, SourceFormat format) {
    if (given() && format != SourceFormat.CSV) {
      throw new UsageException(
          "--label, --columns, --types, --missing and --no-header are for CSV files; %s is of format"
                  .formatted(source)
              + " "
              + format);
    }
  }

  /** Refuses them where there is no source. */
  void requireNone() {
    if (given()) {
      throw new UsageException(
          "--label, --columns, --types, --missing and --no-header are for CSV files: name one with"
              + " --data");
    }
  }

  /**
   * Looks at a table.
   *
   * @param like the database whose columns it has, or null to find them out
   */
  RowsImporter importer(Path source, Path like) {
    if (like == null) {
      return RowsImporter.of(
          source, new RowOptions(label, columns, RowOptions.types(types), missing, !noHeader));
    }
    if (!label.isEmpty() || !columns.isEmpty() || !types.isEmpty()) {
      throw new UsageException(
          "--like takes label, columns and types from " + like + ": leave out the others");
    }
    Columns same =
        Columns.of(like)
            .orElseThrow(
                () ->
                    new UsageException(
                        "--like %s: not a database of rows, it has no %s"
                            .formatted(like, Columns.FILE)));
    Columns.Missing wanted = missing == Columns.Missing.ERROR ? same.missing() : missing;
    return RowsImporter.like(source, new Columns(same.inputs(), same.targets(), wanted), !noHeader);
  }

  /** What was made of the columns, for a person. */
  static String sentence(Columns columns) {
    String targets = columns.targets().stream().map(Column::name).collect(Collectors.joining(", "));
    return columns.classes()
        ? "%d numbers from %d columns; predicted is %s, one of %d classes"
            .formatted(
                columns.width(), columns.inputs().size(), targets, columns.classNames().size())
        : "%d numbers from %d columns; predicted are the values of %s"
            .formatted(columns.width(), columns.inputs().size(), targets);
  }
}
