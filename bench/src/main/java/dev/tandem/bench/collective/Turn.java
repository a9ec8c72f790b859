package dev.tandem.bench.collective;

import java.util.Locale;

/**
 * What a contender measures when it is its turn.
 *
 * @param bytes of each rank's data
 * @param warmUp seconds that do not count
 * @param seconds that count, as far as whole calls fit
 */
record Turn(CollectiveOperation operation, long bytes, double warmUp, double seconds) {

  /** The line that the ranks read. */
  String line() {
    return String.format(Locale.ROOT, "%s %d %.4f %.4f", operation.code(), bytes, warmUp, seconds);
  }

  static Turn of(String line) {
    String[] fields = line.split(" ", -1);
    return new Turn(
        CollectiveOperation.of(fields[0]),
        Long.parseLong(fields[1]),
        Double.parseDouble(fields[2]),
        Double.parseDouble(fields[3]));
  }
}
