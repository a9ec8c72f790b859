package dev.tandem.data.rows;

import dev.tandem.core.UsageException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a user says of a table.
 *
 * @param labels names of the columns to be predicted
 * @param inputs names of the columns to learn from; empty for all others
 * @param types of columns, where they are not to be found out
 * @param header whether the first line holds the names; else they are c1, c2, ...
 */
public record RowOptions(
    List<String> labels,
    List<String> inputs,
    Map<String, Column.Type> types,
    Columns.Missing missing,
    boolean header) {

  public RowOptions {
    labels = List.copyOf(labels);
    inputs = List.copyOf(inputs);
    types = Map.copyOf(types);
  }

  /** The types in a text such as {@code age=number,city=category}. */
  public static Map<String, Column.Type> types(List<String> texts) {
    Map<String, Column.Type> types = new HashMap<>();
    for (String text : texts) {
      int equals = text.lastIndexOf('=');
      String word = text.substring(equals + 1);
      Column.Type type =
          switch (word) {
            case "number" -> Column.Type.NUMBER;
            case "category" -> Column.Type.CATEGORY;
            case "code" -> Column.Type.CODE;
            default -> null;
          };
      if (equals < 1 || type == null) {
        throw new UsageException(
            "--types '%s': expected COLUMN=number, COLUMN=category or COLUMN=code".formatted(text));
      }
      types.put(text.substring(0, equals), type);
    }
    return types;
  }
}
