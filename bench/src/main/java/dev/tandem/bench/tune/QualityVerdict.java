package dev.tandem.bench.tune;

import dev.tandem.bench.Bootstrap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Whether regrets are as good as the peer's: no case is significantly worse (Mann-Whitney, one
 * side, Holm's correction over the cases, 1%), and the geometric mean of the ratios of medians is
 * at most 1.1.
 *
 * @param worse the cases that are significantly worse
 * @param mean the geometric mean, and where a repetition would find it
 */
public record QualityVerdict(List<String> worse, Bootstrap mean) {

  private static final double LEVEL = 0.01;
  private static final double MOST = 1.1;

  /** Judges cases that have the same number of seeds. */
  static QualityVerdict of(List<QualityCase> cases) {
    List<QualityCase> order = new ArrayList<>(cases);
    order.sort(Comparator.comparingDouble(QualityCase::chanceIfEqual));
    List<String> worse = new ArrayList<>();
    for (int i = 0; i < order.size(); i++) {
      if (order.get(i).chanceIfEqual() >= LEVEL / (order.size() - i)) {
        break;
      }
      worse.add(order.get(i).name());
    }
    List<Integer> seeds = QualityCase.seeds(cases.getFirst().tandem().size());
    return new QualityVerdict(
        worse, Bootstrap.of(seeds, drawn -> QualityCase.geometricMean(cases, drawn)));
  }

  public boolean passed() {
    return worse.isEmpty() && mean.median() <= MOST;
  }
}
