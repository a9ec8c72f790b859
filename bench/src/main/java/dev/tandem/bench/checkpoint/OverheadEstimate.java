package dev.tandem.bench.checkpoint;

import dev.tandem.bench.Bootstrap;
import dev.tandem.bench.Spread;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * What a save costs a training, from turns of some steps that begin with a save and turns that do
 * not; a round has one of each, one after the other.
 *
 * <p>The machine's speed changes from minute to minute by more than a save costs. So a turn is
 * measured by its own steps: the time in which a save can matter (training stands still, then steps
 * go on beside the writing until the save is committed) is divided by the median of the turn's
 * later steps. What that is more with a save than without, in the mean over the turns without the
 * outermost fifth on either side, is what a save costs. If a save may take longer than half a turn
 * the whole turn counts, measured by the steps of the plain turn of its round. The later steps of
 * the two kinds of turns are compared as well: a save that left something behind for them would
 * show there.
 *
 * @param percent of the time of a turn without a save
 * @param laterPercent by which later steps were slower
 */
record OverheadEstimate(Bootstrap percent, Bootstrap laterPercent) {

  private static final double TRIMMED = 0.2;

  /**
   * One turn.
   *
   * @param stallSeconds before the first step
   * @param stepSeconds of every step
   * @param restSeconds after the last until the save was committed
   */
  record Turn(double stallSeconds, List<Double> stepSeconds, double restSeconds) {

    Turn {
      stepSeconds = List.copyOf(stepSeconds);
    }

    /** From its beginning to its end. */
    double seconds() {
      return upTo(stepSeconds.size());
    }

    private double upTo(int step) {
      double steps = stepSeconds.stream().limit(step).mapToDouble(Double::doubleValue).sum();
      return stallSeconds + steps + restSeconds;
    }

    private double medianFrom(int step) {
      return Spread.of(stepSeconds.subList(step, stepSeconds.size())).median();
    }
  }

  /** Two turns, one after the other in either order. */
  record Round(Turn plain, Turn saved) {}

  /**
   * Of turns with equally many steps.
   *
   * @param disturbed steps of a turn that may have run beside the writing
   */
  static OverheadEstimate of(List<Round> rounds, int disturbed) {
    int steps = rounds.getFirst().plain().stepSeconds().size();
    boolean whole = disturbed > steps / 2;
    int counted = whole ? steps : disturbed;
    // Once for each round: samples of the rounds are drawn thousands of times.
    List<Pair> turns =
        rounds.stream()
            .map(
                round ->
                    new Pair(
                        round.plain().upTo(counted) / round.plain().medianFrom(whole ? 0 : counted),
                        round.saved().upTo(counted)
                            / (whole
                                ? round.plain().medianFrom(0)
                                : round.saved().medianFrom(counted))))
            .toList();
    Bootstrap percent =
        Bootstrap.of(
            turns, drawn -> (mean(drawn, Pair::saved) - mean(drawn, Pair::plain)) / steps * 100);
    if (whole) {
      return new OverheadEstimate(percent, new Bootstrap(0, 0, 0));
    }
    List<Pair> later =
        rounds.stream()
            .map(
                round ->
                    new Pair(round.plain().medianFrom(counted), round.saved().medianFrom(counted)))
            .toList();
    return new OverheadEstimate(
        percent,
        Bootstrap.of(
            later, drawn -> (mean(drawn, Pair::saved) / mean(drawn, Pair::plain) - 1) * 100));
  }

  /** One figure of the two turns of a round. */
  private record Pair(double plain, double saved) {}

  /** Without the outermost values on either side. */
  private static double mean(List<Pair> pairs, ToDoubleFunction<Pair> value) {
    double[] sorted = pairs.stream().mapToDouble(value).sorted().toArray();
    int left = (int) (sorted.length * TRIMMED);
    return DoubleStream.of(sorted)
        .skip(left)
        .limit(sorted.length - 2L * left)
        .average()
        .orElseThrow();
  }
}
