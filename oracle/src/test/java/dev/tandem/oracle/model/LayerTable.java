package dev.tandem.oracle.model;

import dev.tandem.core.Shape;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The published layer tables of the ParaDL study's networks. */
final class LayerTable {

  private LayerTable() {}

  /**
   * A layer.
   *
   * @param output with extents of 1 where a layer has no space
   * @param weights parameters without biases
   * @param inputs values of its (first) input, for one sample
   * @param products multiplications that are each followed by an addition, for one sample
   */
  record Row(
      String name,
      String type,
      Shape output,
      long weights,
      long biases,
      long inputs,
      long outputs,
      long products) {}

  /** The rows of a table by the layer's name. */
  static Map<String, Row> read(String table) {
    String text;
    try (InputStream stream = LayerTable.class.getResourceAsStream("layers/" + table + ".csv")) {
      text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> lines = text.lines().toList();
    List<String> columns = List.of(lines.getFirst().split(","));
    Map<String, Row> rows = new LinkedHashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      // Commas within quotes are in the note alone, which is last.
      List<String> cells = List.of(line.split(",", columns.size()));
      Cells row = new Cells(columns, cells);
      rows.put(
          row.text("name"),
          new Row(
              row.text("name"),
              row.text("type"),
              row.output(),
              row.number("params_weight"),
              row.number("params_bias"),
              row.number("x_items"),
              row.number("y_items"),
              row.number("macs")));
    }
    return rows;
  }

  private record Cells(List<String> columns, List<String> cells) {

    String text(String column) {
      return cells.get(columns.indexOf(column));
    }

    long number(String column) {
      return Long.parseLong(text(column));
    }

    Shape output() {
      long depth = number("out_d");
      return depth == 1
          ? Shape.of(number("out_c"), number("out_h"), number("out_w"))
          : Shape.of(number("out_c"), depth, number("out_h"), number("out_w"));
    }
  }
}
