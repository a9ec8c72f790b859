package dev.tandem.data.rows;

import dev.tandem.core.WorkFailedException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes numbers of the rows of a file, whose columns are found by their names. */
public final class RowEncoder {

  /** A column, its place in the file and the numbers of its texts. */
  private record Place(Column column, int at, Map<String, Integer> numbers) {}

  private final Columns columns;
  private final List<Place> inputs;
  private final List<Place> targets;

  /**
   * An encoder for a file.
   *
   * @param withTargets whether the file must have the columns of the targets
   */
  public RowEncoder(Columns columns, CsvFile file, boolean withTargets) {
    this.columns = columns;
    inputs = columns.inputs().stream().map(column -> place(column, file)).toList();
    targets =
        withTargets
            ? columns.targets().stream().map(column -> place(column, file)).toList()
            : List.of();
  }

  private static Place place(Column column, CsvFile file) {
    Map<String, Integer> numbers = new HashMap<>();
    for (String text : column.categories()) {
      numbers.put(text, numbers.size());
    }
    return new Place(column, file.column(column.name()), numbers);
  }

  /** The input of a row; empty if the row is to be left out. */
  public Optional<float[]> inputs(CsvRow row) {
    float[] numbers = new float[columns.width()];
    int at = 0;
    for (Place place : inputs) {
      Column column = place.column();
      String field = row.field(place.at());
      boolean number = column.type() == Column.Type.NUMBER;
      Integer known = number ? null : place.numbers().get(field);
      if (number ? CsvRow.missing(field) : known == null) {
        if (columns.missing() == Columns.Missing.SKIP) {
          return Optional.empty();
        }
        if (columns.missing() == Columns.Missing.ERROR) {
          throw missing(row, place, field);
        }
        numbers[at] = number ? (float) column.mean() : column.type() == Column.Type.CODE ? -1 : 0;
      } else if (number) {
        numbers[at] = number(row, place);
      } else if (column.type() == Column.Type.CODE) {
        numbers[at] = known;
      } else {
        numbers[at + known] = 1;
      }
      at += column.width();
    }
    return Optional.of(numbers);
  }

  /** The targets of a row: the number of its class, or the values; empty if it is left out. */
  Optional<float[]> targets(CsvRow row) {
    float[] values = new float[targets.size()];
    for (int i = 0; i < values.length; i++) {
      Place place = targets.get(i);
      String field = row.field(place.at());
      boolean number = place.column().type() == Column.Type.NUMBER;
      Integer known = number ? null : place.numbers().get(field);
      if (number ? CsvRow.missing(field) : known == null) {
        if (columns.missing() == Columns.Missing.SKIP) {
          return Optional.empty();
        }
        throw missing(row, place, field);
      }
      values[i] = number ? number(row, place) : known;
    }
    return Optional.of(values);
  }

  private WorkFailedException missing(CsvRow row, Place place, String field) {
    boolean target = targets.contains(place);
    String what =
        CsvRow.missing(field)
            ? "column %s has no value".formatted(place.column().name())
            : "'%s' in column %s is none of the %d texts known of it"
                .formatted(field, place.column().name(), place.column().categories().size());
    return new WorkFailedException(
        "%s: %s; --missing skip leaves such rows out%s"
            .formatted(
                row.where(place.at()),
                what,
                target ? "" : ", --missing mean uses the mean of the column"));
  }

  private static float number(CsvRow row, Place place) {
    String field = row.field(place.at());
    if (!CsvRow.number(field)) {
      throw new WorkFailedException(
          "%s: '%s' in column %s is not a number"
              .formatted(row.where(place.at()), field, place.column().name()));
    }
    return (float) Double.parseDouble(field);
  }
}
