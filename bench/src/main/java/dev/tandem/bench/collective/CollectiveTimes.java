package dev.tandem.bench.collective;

import dev.tandem.bench.Spread;
import dev.tandem.core.WorkFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.OptionalDouble;
import java.util.Scanner;
import java.util.Set;
import java.util.TreeMap;

/** What the contenders have measured so far, and the results that follow from it. */
final class CollectiveTimes {

  private static final Set<String> MPI = Set.of("openmpi", "openmpi-tuned", "mpich");
  private static final String GLOO = "gloo";
  private static final String LIMIT = "limit";

  /** What one line of a contender is about. */
  private record Key(int ranks, CollectiveOperation operation, long bytes, String peer)
      implements Comparable<Key> {

    @Override
    public int compareTo(Key other) {
      int order = Integer.compare(ranks, other.ranks);
      order = order != 0 ? order : operation.compareTo(other.operation);
      order = order != 0 ? order : Long.compare(bytes, other.bytes);
      return order != 0 ? order : peer.compareTo(other.peer);
    }
  }

  private final Map<Key, List<Double>> micros = new TreeMap<>();
  private final Map<Key, List<Double>> shares = new TreeMap<>();

  /** Takes a contender's output: operation, bytes, microseconds, and maybe a share, a line each. */
  void add(String peer, int ranks, String output) {
    output
        .lines()
        .forEach(
            line -> {
              try (Scanner fields = new Scanner(line).useLocale(Locale.ROOT)) {
                addLine(peer, ranks, fields);
              } catch (IllegalArgumentException | NoSuchElementException e) {
                throw new WorkFailedException("%s printed '%s'".formatted(peer, line), e);
              }
            });
  }

  private void addLine(String peer, int ranks, Scanner fields) {
    CollectiveOperation operation = CollectiveOperation.of(fields.next());
    String contender = operation == CollectiveOperation.COPY ? LIMIT : peer;
    Key key = new Key(ranks, operation, fields.nextLong(), contender);
    append(micros, key, fields.nextDouble());
    if (fields.hasNextDouble()) {
      append(shares, key, fields.nextDouble());
    }
  }

  private static void append(Map<Key, List<Double>> lists, Key key, double value) {
    lists.computeIfAbsent(key, any -> new ArrayList<>()).add(value);
  }

  /** Forgets everything. */
  void clear() {
    micros.clear();
    shares.clear();
  }

  List<CollectiveRow> rows(String machine) {
    return micros.entrySet().stream()
        .map(entry -> row(entry.getKey(), entry.getValue(), machine))
        .toList();
  }

  private CollectiveRow row(Key key, List<Double> values, String machine) {
    Spread spread = Spread.of(values);
    double mine = spread.median();
    List<Double> share = shares.get(key);
    return new CollectiveRow(
        key.peer(),
        key.operation().code(),
        key.bytes(),
        key.ranks(),
        mine,
        spread.least(),
        spread.most(),
        ours(key) ? ratio(best(key, MPI), mine) : 0,
        ours(key) ? ratio(best(key, Set.of(GLOO)), mine) : 0,
        key.peer().equals(LIMIT) ? 0 : ratio(limit(key), mine),
        share == null ? 0 : Spread.of(share).median(),
        values.size(),
        machine);
  }

  private static boolean ours(Key key) {
    return key.peer().startsWith("tandem");
  }

  /** The least of some contenders' medians for the same work. */
  private OptionalDouble best(Key key, Set<String> peers) {
    return peers.stream()
        .map(peer -> micros.get(new Key(key.ranks(), comparable(key), key.bytes(), peer)))
        .filter(values -> values != null)
        .mapToDouble(values -> Spread.of(values).median())
        .min();
  }

  /** The other levels of determinism compare with the same allreduce of the others. */
  private static CollectiveOperation comparable(Key key) {
    return switch (key.operation()) {
      case FAST, ELASTIC, ALLREDUCE -> CollectiveOperation.ALLREDUCE;
      case FUSED, COPY, STRAGGLER -> key.operation();
    };
  }

  private OptionalDouble limit(Key key) {
    List<Double> values =
        micros.get(new Key(key.ranks(), CollectiveOperation.COPY, key.bytes(), LIMIT));
    return values == null ? OptionalDouble.empty() : OptionalDouble.of(Spread.of(values).median());
  }

  private static double ratio(OptionalDouble theirs, double mine) {
    return theirs.isPresent() ? theirs.getAsDouble() / mine : 0;
  }
}
