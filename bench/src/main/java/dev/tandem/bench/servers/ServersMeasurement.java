package dev.tandem.bench.servers;

import dev.tandem.servers.TrafficBytes;
import java.util.Locale;

/**
 * What one turn gave.
 *
 * @param seconds until the last rank had made its last step
 * @param moved bytes of all ranks
 * @param lag steps of the slowest rank that parameters lacked, on average
 * @param loss of the test samples afterwards
 * @param accuracy likewise
 */
record ServersMeasurement(
    double seconds, TrafficBytes moved, double lag, double loss, double accuracy) {

  String line() {
    return String.format(
        Locale.ROOT,
        "%.6f %d %d %.4f %.6f %.6f",
        seconds,
        moved.near(),
        moved.far(),
        lag,
        loss,
        accuracy);
  }

  static ServersMeasurement of(String[] words, int at) {
    return new ServersMeasurement(
        Double.parseDouble(words[at]),
        new TrafficBytes(Long.parseLong(words[at + 1]), Long.parseLong(words[at + 2])),
        Double.parseDouble(words[at + 3]),
        Double.parseDouble(words[at + 4]),
        Double.parseDouble(words[at + 5]));
  }
}
