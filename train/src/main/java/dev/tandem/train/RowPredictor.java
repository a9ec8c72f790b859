package dev.tandem.train;

import dev.tandem.core.UsageException;
import dev.tandem.data.ArrayRecord;
import dev.tandem.data.DataRecord;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.load.RecordPreparation;
import dev.tandem.data.rows.Columns;
import dev.tandem.data.rows.CsvFile;
import dev.tandem.data.rows.CsvRow;
import dev.tandem.data.rows.RowEncoder;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Predicts the label or the values of the rows of CSV files, with the columns that the run has
 * learned from, found by their names. One thread.
 */
public final class RowPredictor {

  /** Rows that go through the network at once. */
  private static final int TOGETHER = 256;

  /**
   * The prediction for one row.
   *
   * @param line in which the row begins
   * @param classes the likeliest, if the run has learned classes, else empty
   * @param values in the units of the data, if it has learned values, else empty
   */
  public record Prediction(
      String file, long line, List<Predictor.Answer> classes, List<Double> values) {}

  /** A row as a record of a database; its target is not used. */
  private record Row(long line, DataRecord record) {}

  private final SavedRun run;
  private final TrainingConfig config;
  private final Columns columns;
  private final RecordPreparation.Writer writer;
  private final int width;

  /** A predictor that borrows the run's network. */
  public RowPredictor(SavedRun run) {
    this.run = run;
    config = run.config();
    columns =
        config
            .data()
            .columns()
            .orElseThrow(
                () ->
                    new UsageException(
                        "this run has not learned from a table, so that columns cannot be found:"
                            + " ./tandem eval RUN --data DATA tells how well it does"));
    RecordPreparation preparation = config.testPreparation();
    writer = preparation.writer();
    width = preparation.values();
  }

  /** Names of the columns that are predicted. */
  public List<String> targets() {
    return columns.targets().stream().map(column -> column.name()).toList();
  }

  /**
   * Predicts all rows of a file, in order; rows with missing values are left out if the run left
   * them out.
   *
   * @param header whether line 1 holds the names of the columns; else they are c1, c2, ...
   * @param top classes to name
   */
  public void predict(Path path, boolean header, int top, Consumer<Prediction> predictions) {
    CsvFile file = CsvFile.open(path, header);
    RowEncoder encoder = new RowEncoder(columns, file, false);
    List<Row> rows = new ArrayList<>();
    file.forEach(
        row -> {
          encoded(encoder, row).ifPresent(rows::add);
          if (rows.size() == TOGETHER) {
            predict(path, rows, top, predictions);
            rows.clear();
          }
        });
    if (!rows.isEmpty()) {
      predict(path, rows, top, predictions);
    }
  }

  private Optional<Row> encoded(RowEncoder encoder, CsvRow row) {
    return encoder.inputs(row).map(numbers -> new Row(row.line(), record(numbers)));
  }

  private void predict(Path path, List<Row> rows, int top, Consumer<Prediction> predictions) {
    int outputs = config.network().classes();
    try (Arena arena = Arena.ofConfined()) {
      long bytes = (long) width * Float.BYTES;
      MemorySegment inputs = arena.allocate(bytes * rows.size(), 64);
      MemorySegment target = arena.allocate(Long.BYTES * (long) Math.max(1, outputs), 8);
      for (int i = 0; i < rows.size(); i++) {
        writer.decode(rows.get(i).record());
        writer.write(0, 0, inputs.asSlice(i * bytes, bytes), target);
      }
      MemorySegment answers = arena.allocate((long) rows.size() * outputs * Float.BYTES, 64);
      run.predict(inputs, rows.size(), answers);
      for (int i = 0; i < rows.size(); i++) {
        MemorySegment one =
            answers.asSlice((long) i * outputs * Float.BYTES, (long) outputs * Float.BYTES);
        predictions.accept(
            config.regression()
                ? new Prediction(path.toString(), rows.get(i).line(), List.of(), values(one))
                : new Prediction(
                    path.toString(),
                    rows.get(i).line(),
                    Predictor.answers(one, outputs, top, config.data().classNames()),
                    List.of()));
      }
    }
  }

  private DataRecord record(float[] numbers) {
    List<Integer> shape = List.of(numbers.length);
    ArrayRecord array =
        config.regression()
            ? ArrayRecord.of(shape, numbers, -1, new float[config.network().classes()])
            : ArrayRecord.of(shape, numbers, 0);
    return new DataRecord(MemorySegment.NULL, MemorySegment.ofArray(array.encode()));
  }

  private List<Double> values(MemorySegment outputs) {
    Normalisation units = config.data().targetNormalisation();
    List<Double> values = new ArrayList<>();
    for (int i = 0; i < config.network().classes(); i++) {
      int unit = units.means().size() == 1 ? 0 : i;
      double output = outputs.getAtIndex(ValueLayout.JAVA_FLOAT, i);
      values.add(output * units.deviations().get(unit) + units.means().get(unit));
    }
    return values;
  }
}
