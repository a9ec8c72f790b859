package dev.tandem.bench.gpu;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Losses of trainings from the same parameters on the same batches, step by step, in exact float32.
 *
 * @param ours of Tandem
 * @param theirs of each run of the peer
 */
public record GpuLosses(List<Double> ours, List<List<Double>> theirs) {

  /** Steps in which rounding has not grown yet. */
  private static final int FIRST = 10;

  /** Steps at the end whose mean is compared. */
  private static final int LAST = 10;

  private static final double SAME = 1e-3;

  static List<Double> parse(String line) {
    return Arrays.stream(line.split(" ", -1)).map(Double::valueOf).toList();
  }

  /** The largest relative difference to the peer's first run in the first steps. */
  public double firstDifference() {
    double most = 0;
    for (int i = 0; i < FIRST; i++) {
      double expected = theirs.getFirst().get(i);
      most = Math.max(most, Math.abs(ours.get(i) - expected) / Math.abs(expected));
    }
    return most;
  }

  /** The same of the peer's other runs: what rounding and other kernels do. */
  public double theirFirstDifference() {
    double most = 0;
    for (List<Double> other : theirs) {
      for (int i = 0; i < FIRST; i++) {
        double expected = theirs.getFirst().get(i);
        most = Math.max(most, Math.abs(other.get(i) - expected) / Math.abs(expected));
      }
    }
    return most;
  }

  /** Whether the first steps agree but for rounding. */
  public boolean agree() {
    return firstDifference() <= SAME;
  }

  private static double lastMean(List<Double> losses) {
    return losses.subList(losses.size() - LAST, losses.size()).stream()
        .mapToDouble(Double::doubleValue)
        .average()
        .orElseThrow();
  }

  /** For a person. */
  public String text() {
    return String.format(
        Locale.ROOT,
        "losses of ResNet-18 from equal parameters on equal batches, float32: the first %d steps"
            + " differ by at most %.1e (theirs among themselves by %.1e); mean of the last %d of %d"
            + " steps: ours %.5f, theirs %s",
        FIRST,
        firstDifference(),
        theirFirstDifference(),
        LAST,
        ours.size(),
        lastMean(ours),
        String.join(
            ", ",
            theirs.stream()
                .map(each -> String.format(Locale.ROOT, "%.5f", lastMean(each)))
                .toList()));
  }
}
