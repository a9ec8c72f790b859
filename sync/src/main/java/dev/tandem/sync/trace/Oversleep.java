package dev.tandem.sync.trace;

import java.util.Locale;

/**
 * How much longer a background thread slept than it meant to: until its next cycle, or until the
 * request came that completes what it waits for. What lies in between is the time that the kernel
 * took to give it a core.
 *
 * <p>Counts sleeps by the time that they lasted too long, and how one goes with the next: in the
 * published account a thread that oversleeps once makes others skip their sleep, and is late again.
 */
final class Oversleep {

  /** Ends of the classes in microseconds; the last class has none. */
  private static final long[] ENDS_MICROS = {50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000};

  /** Classes, then how many pairs, their sums, squares and products. */
  static final int FIGURES = ENDS_MICROS.length + 1 + 5;

  private static final int PAIRS = ENDS_MICROS.length + 1;
  private static final int SUM = PAIRS + 1;
  private static final int NEXT_SUM = PAIRS + 2;
  private static final int SQUARES = PAIRS + 3;
  private static final int PRODUCTS = PAIRS + 4;

  private final double[] figures;
  private double lastMillis = -1;

  Oversleep() {
    this(new double[FIGURES]);
  }

  private Oversleep(double[] figures) {
    this.figures = figures;
  }

  void add(long nanos) {
    long micros = Math.max(0, nanos / 1_000);
    int place = 0;
    while (place < ENDS_MICROS.length && micros >= ENDS_MICROS[place]) {
      place++;
    }
    figures[place]++;
    double millis = micros / 1e3;
    if (lastMillis >= 0) {
      figures[PAIRS]++;
      figures[SUM] += lastMillis;
      figures[NEXT_SUM] += millis;
      figures[SQUARES] += lastMillis * lastMillis;
      figures[PRODUCTS] += lastMillis * millis;
    }
    lastMillis = millis;
  }

  double[] toArray() {
    return figures.clone();
  }

  static Oversleep of(double[] all, int at) {
    double[] figures = new double[FIGURES];
    System.arraycopy(all, at, figures, 0, FIGURES);
    return new Oversleep(figures);
  }

  /** How many sleeps there were. */
  long sleeps() {
    double sleeps = 0;
    for (int place = 0; place <= ENDS_MICROS.length; place++) {
      sleeps += figures[place];
    }
    return (long) sleeps;
  }

  /** How many sleeps lasted too long by less than the end of this class and not of those below. */
  long count(int place) {
    return (long) figures[place];
  }

  /** Correlation of a sleep's excess with that of the next; 0 if all are alike. */
  double nextCorrelation() {
    double pairs = figures[PAIRS];
    if (pairs < 2) {
      return 0;
    }
    double mean = figures[SUM] / pairs;
    double variance = figures[SQUARES] / pairs - mean * mean;
    double covariance = figures[PRODUCTS] / pairs - mean * figures[NEXT_SUM] / pairs;
    return variance <= 1e-12 ? 0 : Math.clamp(covariance / variance, -1, 1);
  }

  /** The heads of the columns of {@link #row}. */
  static String heads() {
    StringBuilder line = new StringBuilder();
    for (long end : ENDS_MICROS) {
      String name = end < 1_000 ? "<%dus".formatted(end) : "<%sms".formatted(millis(end));
      line.append("%8s".formatted(name));
    }
    return line.append("  longer  next cycle").toString();
  }

  private static String millis(long micros) {
    return micros % 1_000 == 0
        ? Long.toString(micros / 1_000)
        : String.format(Locale.ROOT, "%.1f", micros / 1e3);
  }

  /** The share of sleeps in each class in percent, and the correlation. */
  String row() {
    StringBuilder line = new StringBuilder();
    double all = Math.max(1, sleeps());
    for (int place = 0; place <= ENDS_MICROS.length; place++) {
      line.append(String.format(Locale.ROOT, "%7.1f%%", 100 * figures[place] / all));
    }
    return line.append(String.format(Locale.ROOT, "%12.2f", nextCorrelation())).toString();
  }
}
