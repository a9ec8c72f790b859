package dev.tandem.data.rows;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A row of a CSV file.
 *
 * @param line in which it begins, from 1
 */
public record CsvRow(Path file, long line, List<String> fields) {

  private static final Pattern NUMBER =
      Pattern.compile("[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,5})?");
  private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]{1,18}");

  /** How tables write that there is no value. */
  private static final Set<String> NOTHING = Set.of("", "na", "n/a", "nan", "null", "none", "?");

  public CsvRow {
    fields = List.copyOf(fields);
  }

  /** A field without blanks around it. */
  public String field(int column) {
    return fields.get(column).strip();
  }

  /** What an error about a field begins with: file, line and column, from 1. */
  public String where(int column) {
    return file + ":" + line + ":" + (column + 1);
  }

  static boolean missing(String field) {
    return NOTHING.contains(field.toLowerCase(Locale.ROOT));
  }

  static boolean number(String field) {
    return NUMBER.matcher(field).matches() && Float.isFinite((float) Double.parseDouble(field));
  }

  static boolean integer(String field) {
    return INTEGER.matcher(field).matches();
  }
}
