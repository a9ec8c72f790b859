package dev.tandem.bench.sync;

import java.util.Locale;

/**
 * One turn's figures, of both ranks on average.
 *
 * @param iterationMillis mean of a step
 * @param p95Millis that 95% of the steps did not exceed
 * @param cpuShare of a core that the background threads used
 * @param waitShare of the time that the background thread spent waiting for other ranks' consent
 * @param switches a step that took the processor from a background thread
 * @param oversleepMicros that 95% of its sleeps did not exceed
 * @param digest of the parameters afterwards
 */
record SyncMeasurement(
    double iterationMillis,
    double p95Millis,
    double cpuShare,
    double waitShare,
    double switches,
    double oversleepMicros,
    long digest) {

  String line() {
    return String.format(
        Locale.ROOT,
        "%.6f %.6f %.6f %.6f %.6f %.6f %d",
        iterationMillis,
        p95Millis,
        cpuShare,
        waitShare,
        switches,
        oversleepMicros,
        digest);
  }

  static SyncMeasurement of(String[] words, int from) {
    return new SyncMeasurement(
        Double.parseDouble(words[from]),
        Double.parseDouble(words[from + 1]),
        Double.parseDouble(words[from + 2]),
        Double.parseDouble(words[from + 3]),
        Double.parseDouble(words[from + 4]),
        Double.parseDouble(words[from + 5]),
        Long.parseLong(words[from + 6]));
  }
}
