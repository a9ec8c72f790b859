package dev.tandem.bench.read;

import dev.tandem.bench.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The times of all rounds of one comparison. */
final class ReadSamples {

  private static final String LIBLMDB = "liblmdb";
  private static final String CEILING = "ceiling";

  private final ReadCase what;
  private final Map<String, List<Double>> seconds = new LinkedHashMap<>();

  ReadSamples(ReadCase what) {
    this.what = what;
  }

  void add(String contender, double ofRound) {
    seconds.computeIfAbsent(contender, name -> new ArrayList<>()).add(ofRound);
  }

  /** A row for each contender. */
  List<ReadRow> rows() {
    return seconds.keySet().stream()
        .map(
            contender ->
                new ReadRow(
                    what.database().name(),
                    what.access(),
                    what.cache(),
                    what.readAhead(),
                    what.processes(),
                    contender,
                    seconds.get(contender).size(),
                    megabytesPerSecond(contender),
                    ratio(contender, LIBLMDB),
                    ratio(contender, CEILING)))
        .toList();
  }

  private double megabytesPerSecond(String contender) {
    double bytes = what.records() * what.database().bytesPerRecord();
    return bytes / 1e6 / Spread.of(seconds.get(contender)).median();
  }

  private Double ratio(String contender, String to) {
    return seconds.containsKey(to) ? megabytesPerSecond(contender) / megabytesPerSecond(to) : null;
  }
}
