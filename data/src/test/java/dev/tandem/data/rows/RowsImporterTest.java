package dev.tandem.data.rows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.TandemException;
import dev.tandem.data.ArrayRecord;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowsImporterTest {

  private static final List<String> WORDS =
      List.of("red", "deep, dark blue", "say \"no\"", "two\nlines", "Übergrün", "x;y|z");

  @TempDir Path folder;

  /** Tables whose cells are known before they are written. */
  @Test
  void randomTablesBecomeTheirNumbers() throws Exception {
    SplittableRandom random = TestSeed.of(RowsImporterTest.class).random();
    for (int round = 0; round < 40; round++) {
      randomTable(random);
    }
  }

  private void randomTable(SplittableRandom random) throws Exception {
    int numbers = random.nextInt(1, 4);
    boolean classes = random.nextBoolean();
    boolean header = random.nextBoolean();
    char separator = ",;\t|".charAt(random.nextInt(4));
    String end = random.nextBoolean() ? "\n" : "\r\n";
    List<String> names = new ArrayList<>();
    for (int i = 0; i < numbers; i++) {
      names.add(header ? "number " + i : "c" + (i + 1));
    }
    names.add(header ? "word" : "c" + (numbers + 1));
    names.add(header ? "target" : "c" + (numbers + 2));
    StringBuilder text = new StringBuilder(random.nextBoolean() ? "\uFEFF" : "");
    if (header) {
      text.append(String.join("" + separator, names)).append(end);
    }
    List<double[]> cells = new ArrayList<>();
    List<String> words = new ArrayList<>();
    List<String> targets = new ArrayList<>();
    for (int row = random.nextInt(2, 30); row > 0; row--) {
      double[] values = new double[numbers];
      List<String> fields = new ArrayList<>();
      for (int i = 0; i < numbers; i++) {
        values[i] = Math.round(random.nextDouble(-1000, 1000) * 100) / 100.0;
        fields.add((random.nextBoolean() ? " " : "") + values[i]);
      }
      cells.add(values);
      // The first line has no separator within a field, by which the separator is found.
      words.add(WORDS.get(cells.size() == 1 ? 0 : random.nextInt(WORDS.size())));
      targets.add(classes ? Integer.toString(random.nextInt(-3, 4)) : random.nextInt(50) + ".5");
      fields.add(quoted(words.getLast()));
      fields.add(random.nextBoolean() ? quoted(targets.getLast()) : targets.getLast());
      text.append(String.join("" + separator, fields)).append(end);
    }
    Path file = folder.resolve("table.csv");
    Files.writeString(file, text);
    RowsImporter importer =
        RowsImporter.of(
            file,
            new RowOptions(
                List.of(names.getLast()), List.of(), Map.of(), Columns.Missing.ERROR, header));
    List<ArrayRecord> records = records(importer);
    List<String> known = List.copyOf(new TreeSet<>(words));
    List<String> labels =
        classes
            ? targets.stream()
                .map(Integer::valueOf)
                .collect(Collectors.toCollection(TreeSet::new))
                .stream()
                .map(String::valueOf)
                .toList()
            : List.of();
    assertEquals(labels, importer.labels());
    assertEquals(cells.size(), records.size());
    for (int row = 0; row < records.size(); row++) {
      ArrayRecord record = records.get(row);
      assertEquals(List.of(numbers + known.size()), record.shape());
      for (int i = 0; i < numbers; i++) {
        assertEquals((float) cells.get(row)[i], record.element(i));
      }
      for (int i = 0; i < known.size(); i++) {
        assertEquals(known.get(i).equals(words.get(row)) ? 1 : 0, record.element(numbers + i));
      }
      if (classes) {
        assertEquals(labels.indexOf(targets.get(row)), record.label());
      } else {
        assertEquals(List.of(Float.valueOf(targets.get(row))), record.values());
      }
    }
    double mean = cells.stream().mapToDouble(each -> each[0]).average().orElseThrow();
    assertEquals(mean, importer.columns().inputs().getFirst().mean(), 1e-9);
  }

  private static String quoted(String text) {
    return '"' + text.replace("\"", "\"\"") + '"';
  }

  private static List<ArrayRecord> records(RowsImporter importer) {
    List<ArrayRecord> records = new ArrayList<>();
    importer.importTo(
        (key, value) ->
            records.add(
                ArrayRecord.decode(MemorySegment.ofArray(value.toArray(ValueLayout.JAVA_BYTE)))));
    return records;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a,y;1,2;,3;4,5             | table.csv:3:1: column a has no value
          a,y;1,2;4,;4,5             | table.csv:3:2: column y has no value
          a,y;1,2;1,2,3              | table.csv:3: the row has 3 fields, expected 2
          a,y;1,2;1                  | table.csv:3: the row has 1 fields, expected 2
          a,b;1,2                    | no column 'y'; it has a, b
          1,2;3,4                    | table.csv:1: expected the names of the columns
          a,a,y;1,2,3                | table.csv:1:2: two columns are named a
          a,,y;1,2,3                 | table.csv:1:2: the column has no name
          a,y                        | has no rows
          y;1;2                      | no column to learn from
          a,y;1,2;"3,4               | cannot be read as CSV
          """)
  void mistakesAreNamed(String lines, String message) throws Exception {
    assertTrue(failure(lines.replace(';', '\n')).contains(message), failure(lines));
  }

  @Test
  void aWrongNumberAmongNumbersIsNamed() throws Exception {
    String rows = "a,y\n" + "1,2\n".repeat(20) + "oops,3\n";
    String message = failure(rows);
    assertTrue(message.contains("table.csv:22:1: 'oops' in column a is not a number"), message);
  }

  private String failure(String text) throws Exception {
    Path file = folder.resolve("table.csv");
    Files.writeString(file, text);
    return assertThrows(
            TandemException.class,
            () -> records(RowsImporter.of(file, options(Columns.Missing.ERROR))))
        .getMessage();
  }

  private static RowOptions options(Columns.Missing missing) {
    return new RowOptions(List.of("y"), List.of(), Map.of(), missing, true);
  }

  @Test
  void missingFieldsAreLeftOutOrTheMean() throws Exception {
    Path file = folder.resolve("table.csv");
    Files.writeString(file, "a,b,y\n1,u,0.5\nNA,v,1.5\n3,?,2.5\n");
    RowsImporter skipping = RowsImporter.of(file, options(Columns.Missing.SKIP));
    assertEquals(1, records(skipping).size());
    assertEquals(List.of("2 rows with missing values"), skipping.skipped());
    List<ArrayRecord> all = records(RowsImporter.of(file, options(Columns.Missing.MEAN)));
    assertEquals(3, all.size());
    assertEquals(2, all.get(1).element(0));
    assertEquals(0, all.get(2).element(1) + all.get(2).element(2));
  }

  @Test
  void manyTextsAreLeftOutUnlessTheyAreCoded() throws Exception {
    StringBuilder text = new StringBuilder("id,a,y\n");
    for (int i = 0; i < 200; i++) {
      text.append("name").append(i).append(',').append(i).append(',').append(i % 2).append('\n');
    }
    Path file = folder.resolve("table.csv");
    Files.writeString(file, text);
    RowsImporter importer = RowsImporter.of(file, options(Columns.Missing.ERROR));
    assertEquals(1, importer.columns().width());
    assertTrue(importer.skipped().getFirst().startsWith("column id"), importer.skipped()::toString);
    RowOptions coded =
        new RowOptions(
            List.of("y"), List.of(), Map.of("id", Column.Type.CODE), Columns.Missing.ERROR, true);
    assertEquals(2, RowsImporter.of(file, coded).columns().width());
  }
}
