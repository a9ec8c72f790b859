package dev.tandem.bench.oracle;

import java.util.ArrayList;
import java.util.List;

/**
 * How much is measured.
 *
 * @param steps of a run that count at most, after the first
 * @param seconds after which a run ends, too
 */
record OracleEffort(
    List<String> networks,
    List<Integer> batches,
    List<String> pairs,
    List<String> fours,
    int steps,
    double seconds) {

  private static final List<String> PAIRS =
      List.of("data", "spatial", "filter", "channel", "pipeline");

  private static final List<String> FOURS = List.of("data=2,filter=2", "data=2,spatial=2");

  /** All of it: about half an hour. */
  static final OracleEffort FULL =
      new OracleEffort(
          List.of("caffe-cifar", "resnet18-small", "vgg-small", "transformer"),
          List.of(32, 64),
          PAIRS,
          FOURS,
          100,
          20);

  /** At most five minutes. */
  static final OracleEffort QUICK =
      new OracleEffort(List.of("caffe-cifar", "vgg-small"), List.of(64), PAIRS, FOURS, 100, 10);

  /** The runs with this number of ranks. */
  List<OracleCase> cases(int ranks) {
    List<OracleCase> cases = new ArrayList<>();
    for (String network : networks) {
      for (int batch : batches) {
        for (String strategy : ranks == 2 ? pairs : fours) {
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
