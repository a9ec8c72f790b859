package dev.tandem.bench.train;

import dev.tandem.bench.Bootstrap;
import dev.tandem.bench.Spread;
import java.util.List;
import java.util.stream.IntStream;

/**
 * By how much steps are longer with synchronisation: medians over all pairs of steps, with
 * intervals that hold the median of a repetition with a chance of 95%.
 *
 * @param pairs of steps of each side
 * @param millis ours
 * @param peerMillis theirs
 * @param ratio ours over theirs; nothing if theirs is not above 0: what the other side hides whole,
 *     or what drowns in noise, is no measure
 */
record Exposure(int pairs, Bootstrap millis, Bootstrap peerMillis, Bootstrap ratio) {

  /** Of a rank alone. */
  static final Exposure NONE = new Exposure(0, nothing(), nothing(), nothing());

  private record Pair(double ours, double theirs) {}

  /** From the seconds of each pair of steps, as many on both sides. */
  static Exposure of(List<Double> ours, List<Double> theirs) {
    if (ours.size() != theirs.size()) {
      throw new IllegalArgumentException(
          "%d pairs of steps here and %d there".formatted(ours.size(), theirs.size()));
    }
    List<Double> millis = ours.stream().map(seconds -> seconds * 1e3).toList();
    List<Double> peerMillis = theirs.stream().map(seconds -> seconds * 1e3).toList();
    Bootstrap peer = Bootstrap.of(peerMillis);
    List<Pair> both =
        IntStream.range(0, millis.size())
            .mapToObj(i -> new Pair(millis.get(i), peerMillis.get(i)))
            .toList();
    Bootstrap ratio = peer.median() > 0 ? Bootstrap.of(both, Exposure::ratio) : nothing();
    return new Exposure(millis.size(), Bootstrap.of(millis), peer, ratio);
  }

  private static double ratio(List<Pair> pairs) {
    return Spread.of(pairs.stream().map(Pair::ours).toList()).median()
        / Spread.of(pairs.stream().map(Pair::theirs).toList()).median();
  }

  private static Bootstrap nothing() {
    return new Bootstrap(0, 0, 0);
  }
}
