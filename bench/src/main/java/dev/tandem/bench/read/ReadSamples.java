package dev.tandem.bench.read;

import dev.tandem.bench.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The times of all rounds of one comparison. */
final class ReadSamples {

  private static final String LIBLMDB = "liblmdb";
  private static final String CEILING = "ceiling";

  private final ReadCase what;
  private final Map<String, List<Double>> seconds = new LinkedHashMap<>();
  private final Map<String, Map<String, Integer>> modes = new LinkedHashMap<>();

  ReadSamples(ReadCase what) {
    this.what = what;
  }

  void add(String contender, ReadOutcome ofRound) {
    seconds.computeIfAbsent(contender, name -> new ArrayList<>()).add(ofRound.seconds());
    String mode = ofRound.fields().get("mode");
    if (mode != null && !mode.equals(contender)) {
      modes.computeIfAbsent(contender, name -> new LinkedHashMap<>()).merge(mode, 1, Integer::sum);
    }
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
                    chosen(contender),
                    megabytesPerSecond(contender),
                    ratio(contender, LIBLMDB),
                    ratio(contender, CEILING)))
        .toList();
  }

  /** "prov", or "2 prov, 1 coal" if it was not always the same. */
  private String chosen(String contender) {
    Map<String, Integer> times = modes.getOrDefault(contender, Map.of());
    return switch (times.size()) {
      case 0 -> null;
      case 1 -> times.keySet().iterator().next();
      default ->
          times.entrySet().stream()
              .map(mode -> mode.getValue() + " " + mode.getKey())
              .collect(Collectors.joining(", "));
    };
  }

  private double megabytesPerSecond(String contender) {
    double bytes = what.records() * what.database().bytesPerRecord();
    return bytes / 1e6 / Spread.of(seconds.get(contender)).median();
  }

  private Double ratio(String contender, String to) {
    return seconds.containsKey(to) ? megabytesPerSecond(contender) / megabytesPerSecond(to) : null;
  }
}
