package dev.tandem.bench.tune;

import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.space.WholeDomain;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Recorded trainings of a small network on drawn digits: 512 settings of four hyperparameters, the
 * error on the test set after each of 16 epochs, and what an epoch took. Made by {@code tandem
 * bench tune --make-table}; replayed, so that hundreds of searches cost nothing.
 */
final class GlyphTable {

  static final int EPOCHS = 16;

  private static final double[] RATES = {0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1};
  private static final double[] MOMENTA = {0, 0.5, 0.9, 0.97};
  private static final double[] DECAYS = {0, 0.0001, 0.003, 0.03};
  private static final int[] BATCHES = {8, 16, 32, 64};
  private static final int FIXED_COLUMNS = 5;

  /** One row's hyperparameters. */
  record Settings(double rate, double momentum, double decay, int batch) {

    String text() {
      return rate + "," + momentum + "," + decay + "," + batch;
    }
  }

  private final double[][] errors;
  private final double[] seconds;

  private GlyphTable(double[][] errors, double[] seconds) {
    this.errors = errors;
    this.seconds = seconds;
  }

  static int rows() {
    return RATES.length * MOMENTA.length * DECAYS.length * BATCHES.length;
  }

  /** The batch changes fastest, then decay, momentum and rate. */
  static Settings settings(int row) {
    int rest = row / BATCHES.length;
    int momentum = rest / DECAYS.length;
    return new Settings(
        RATES[momentum / MOMENTA.length],
        MOMENTA[momentum % MOMENTA.length],
        DECAYS[rest % DECAYS.length],
        BATCHES[row % BATCHES.length]);
  }

  static String header() {
    StringBuilder header = new StringBuilder("rate,momentum,decay,batch,epochSeconds");
    for (int epoch = 1; epoch <= EPOCHS; epoch++) {
      header.append(",error").append(epoch);
    }
    return header.toString();
  }

  /** The places of the settings in their lists, which are in order. */
  static Space space() {
    return Space.of(
        new Parameter("rate", new WholeDomain(0, RATES.length - 1L, 1, false)),
        new Parameter("momentum", new WholeDomain(0, MOMENTA.length - 1L, 1, false)),
        new Parameter("decay", new WholeDomain(0, DECAYS.length - 1L, 1, false)),
        new Parameter("batch", new WholeDomain(0, BATCHES.length - 1L, 1, false)));
  }

  static int row(Parameters at) {
    long rest = at.whole("rate") * MOMENTA.length + at.whole("momentum");
    return (int) ((rest * DECAYS.length + at.whole("decay")) * BATCHES.length + at.whole("batch"));
  }

  /** The recorded table. */
  static GlyphTable recorded() {
    try (InputStream stream = GlyphTable.class.getResourceAsStream("glyph-table.csv");
        BufferedReader reader =
            new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      List<String> lines = reader.lines().skip(1).toList();
      if (lines.size() != rows()) {
        throw new IllegalStateException("the table has %d rows".formatted(lines.size()));
      }
      double[][] errors = new double[lines.size()][];
      double[] seconds = new double[lines.size()];
      for (int row = 0; row < lines.size(); row++) {
        String[] cells = lines.get(row).split(",", -1);
        seconds[row] = Double.parseDouble(cells[FIXED_COLUMNS - 1]);
        errors[row] =
            Arrays.stream(cells).skip(FIXED_COLUMNS).mapToDouble(Double::parseDouble).toArray();
      }
      return new GlyphTable(errors, seconds);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The error after an epoch, which counts from 1. */
  double error(int row, int epoch) {
    return errors[row][epoch - 1];
  }

  double lastError(int row) {
    return error(row, EPOCHS);
  }

  double epochSeconds(int row) {
    return seconds[row];
  }

  double[] sortedLastErrors() {
    return Arrays.stream(errors).mapToDouble(each -> each[EPOCHS - 1]).sorted().toArray();
  }

  /**
   * What a search for the least last error is judged by. Less than one sample of the test set
   * cannot be told, so a regret is at least that.
   */
  TestFunction function() {
    return new TestFunction(
        "glyph-table",
        space(),
        sortedLastErrors()[0] - 1.0 / GlyphTraining.TEST,
        at -> lastError(row(at)),
        false);
  }
}
