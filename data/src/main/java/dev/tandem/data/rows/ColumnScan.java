package dev.tandem.data.rows;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What the fields of one column are, row by row. For one thread. */
final class ColumnScan {

  /** Texts of an input become this many numbers at most. */
  static final int MOST_CATEGORIES = 100;

  /** So many different texts a class or a coded column may have. */
  static final int MOST_CODES = 10_000;

  /** If at least this share of fields are numbers, the others are mistakes. */
  private static final double NUMBERS = 0.9;

  private final String name;
  private final int column;
  private final Set<String> different = new HashSet<>();
  private long numbers;
  private long integers;
  private long texts;
  private double mean;
  private double squares;
  private String firstText;
  private String firstTextAt;

  ColumnScan(String name, int column) {
    this.name = name;
    this.column = column;
  }

  /** Takes the field of another row; one that is missing does not count. */
  void add(CsvRow row) {
    String field = row.field(column);
    if (CsvRow.missing(field)) {
      return;
    }
    if (different.size() <= MOST_CODES) {
      different.add(field);
    }
    if (CsvRow.number(field)) {
      numbers++;
      integers += CsvRow.integer(field) ? 1 : 0;
      double value = Double.parseDouble(field);
      double distance = value - mean;
      mean += distance / (double) numbers;
      squares += distance * (value - mean);
      return;
    }
    texts++;
    if (firstText == null) {
      firstText = field;
      firstTextAt = row.where(column);
    }
  }

  /**
   * As an input.
   *
   * @param wanted the type, or empty to find it out
   * @return empty if it is found to be texts that are too different to be learned from
   */
  Optional<Column> input(Optional<Column.Type> wanted) {
    Column.Type type = wanted.orElseGet(this::found);
    if (type != Column.Type.NUMBER) {
      int most = type == Column.Type.CODE ? MOST_CODES : MOST_CATEGORIES;
      if (different.size() > most) {
        if (wanted.isEmpty()) {
          return Optional.empty();
        }
        throw new UsageException(
            "column %s has more than %,d different texts, too many for the type %s"
                .formatted(name, most, type == Column.Type.CODE ? "code" : "category"));
      }
      return Optional.of(texts(type));
    }
    return Optional.of(numbers());
  }

  /** As an input that the user named: it is not left out. */
  Column named() {
    return input(Optional.empty())
        .orElseThrow(
            () ->
                new UsageException(
                    "column %s has more than %d different texts: leave it out of --columns, or code"
                            .formatted(name, MOST_CATEGORIES)
                        + " it as one number with --types "
                        + name
                        + "=code"));
  }

  /** As what is to be predicted: classes, if it has texts or few different integers. */
  Column target(Optional<Column.Type> wanted) {
    if (numbers + texts == 0) {
      throw new WorkFailedException("column " + name + " has no values");
    }
    Column.Type type =
        wanted.orElseGet(
            () ->
                found() != Column.Type.NUMBER
                        || (integers == numbers
                            && texts == 0
                            && different.size() <= MOST_CATEGORIES)
                    ? Column.Type.CATEGORY
                    : Column.Type.NUMBER);
    if (type == Column.Type.NUMBER) {
      return numbers();
    }
    if (different.size() > MOST_CODES) {
      throw new UsageException(
          "column %s has more than %,d different values, too many for classes"
              .formatted(name, MOST_CODES));
    }
    return texts(Column.Type.CATEGORY);
  }

  private Column.Type found() {
    if (texts > 0 && numbers > 0 && (double) numbers >= NUMBERS * (numbers + texts)) {
      throw notANumber();
    }
    return texts == 0 ? Column.Type.NUMBER : Column.Type.CATEGORY;
  }

  private WorkFailedException notANumber() {
    return new WorkFailedException(
        "%s: '%s' in column %s is not a number; if it is to be, correct it, else --types %s=category"
            .formatted(firstTextAt, firstText, name, name));
  }

  private Column numbers() {
    if (texts > 0) {
      throw notANumber();
    }
    double deviation = numbers == 0 ? 0 : Math.sqrt(squares / (double) numbers);
    return new Column(name, Column.Type.NUMBER, List.of(), mean, deviation);
  }

  private Column texts(Column.Type type) {
    Comparator<String> order =
        integers == numbers && texts == 0
            ? Comparator.<String>comparingLong(Long::parseLong)
                .thenComparing(Comparator.naturalOrder())
            : Comparator.naturalOrder();
    return new Column(name, type, different.stream().sorted(order).toList(), 0, 0);
  }
}
