package dev.tandem.bench.oracle;

import java.util.ArrayList;
import java.util.List;

/**
 * How much is measured.
 *
 * @param networks of runs with two ranks
 * @param networksOfFour of runs with four ranks
 * @param steps of a run that count at most, after the first
 * @param seconds after which a run ends, too
 */
record OracleEffort(
    List<String> networks,
    List<String> networksOfFour,
    List<Integer> batches,
    int steps,
    double seconds) {

  private static final List<String> PAIRS =
      List.of("data", "spatial", "filter", "channel", "pipeline");

  private static final List<String> FOURS = List.of("data=2,filter=2", "data=2,spatial=2");

  private static final List<String> NETWORKS =
      List.of("caffe-cifar", "resnet18-small", "vgg-small", "transformer");

  /** All of it: about half an hour. */
  static final OracleEffort FULL = new OracleEffort(NETWORKS, NETWORKS, List.of(32, 64), 100, 20);

  /** At most five minutes. */
  static final OracleEffort QUICK =
      new OracleEffort(
          List.of("caffe-cifar", "vgg-small"), List.of("caffe-cifar"), List.of(64), 100, 10);

  List<String> networks(int ranks) {
    return ranks == 2 ? networks : networksOfFour;
  }

  /** The runs with this number of ranks. */
  List<OracleCase> cases(int ranks) {
    List<OracleCase> cases = new ArrayList<>();
    for (String network : networks(ranks)) {
      for (int batch : batches) {
        for (String strategy : ranks == 2 ? PAIRS : FOURS) {
          if (fits(network, strategy)) {
            cases.add(new OracleCase(network, strategy, ranks, batch));
          }
        }
      }
    }
    return cases;
  }

  /** Tokens have no space that could be cut after the first layer. */
  private static boolean fits(String network, String strategy) {
    return !network.equals("transformer") || !strategy.contains("spatial");
  }

  /** Samples that layers get at once in these runs. */
  List<Integer> samples(int ranks) {
    return batches.stream().map(batch -> ranks == 2 ? batch : batch / 2).toList();
  }
}
