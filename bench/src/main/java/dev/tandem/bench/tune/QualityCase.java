package dev.tandem.bench.tune;

import dev.tandem.bench.Spread;
import java.util.List;
import java.util.stream.IntStream;
import org.hipparchus.stat.inference.MannWhitneyUTest;

/**
 * Regrets of both sides on one function, one for each seed.
 *
 * @param tandem ours
 * @param peer theirs
 */
record QualityCase(String name, List<Double> tandem, List<Double> peer) {

  /** Regrets below this are nothing. */
  private static final double NOTHING = 1e-12;

  QualityCase {
    tandem = List.copyOf(tandem);
    peer = List.copyOf(peer);
  }

  static double median(List<Double> values) {
    return Spread.of(values).median();
  }

  /** The ratio of the medians of these seeds. */
  double ratio(List<Integer> seeds) {
    return ratioOf(pick(tandem, seeds), pick(peer, seeds));
  }

  double ratio() {
    return ratioOf(tandem, peer);
  }

  private static double ratioOf(List<Double> ours, List<Double> theirs) {
    return Math.max(NOTHING, median(ours)) / Math.max(NOTHING, median(theirs));
  }

  private static List<Double> pick(List<Double> values, List<Integer> seeds) {
    return seeds.stream().map(values::get).toList();
  }

  private static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /** The chance of regrets so much worse than the peer's if both sides were equal. */
  double chanceIfEqual() {
    double worse = 0;
    for (double ours : tandem) {
      for (double theirs : peer) {
        worse += (Math.signum(ours - theirs) + 1) / 2;
      }
    }
    double twoSided = new MannWhitneyUTest().mannWhitneyUTest(array(tandem), array(peer));
    boolean isWorse = worse > 0.5 * tandem.size() * peer.size();
    return isWorse ? twoSided / 2 : 1 - twoSided / 2;
  }

  /** The geometric mean over cases of the ratios, with these seeds. */
  static double geometricMean(List<QualityCase> cases, List<Integer> seeds) {
    return Math.exp(
        cases.stream().mapToDouble(each -> Math.log(each.ratio(seeds))).average().orElseThrow());
  }

  static List<Integer> seeds(int count) {
    return IntStream.range(0, count).boxed().toList();
  }
}
