package dev.tandem.parallel.stage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Where a network is cut so that its stages take equally long. The slowest stage is made as fast as
 * can be, the time of its messages included; of all cuts that are nearly as good, those are taken
 * that the fewest tensors cross.
 *
 * <p>Dynamic programming over layers and stages: O(layers² stages) for all numbers of stages
 * together. Any thread may use it.
 */
public final class Balance {

  /** How much slower than the best the slowest stage may be, if fewer tensors cross then. */
  private static final double NEARLY = 1.05;

  private final double[] timeBefore;
  private final int[] parametersBefore;
  private final double[] messageTime;
  private final int[] tensors;
  private final int layers;

  /** For each number of stages, the slowest one of the layers before each. */
  private final List<double[]> rows = new ArrayList<>();

  /**
   * Cuts of a network.
   *
   * @param costs of each layer, both passes of a piece; any unit
   * @param messages the cost of what crosses a cut before each layer, in the same unit
   */
  public Balance(StageCuts cuts, double[] costs, double[] messages) {
    layers = costs.length;
    timeBefore = new double[layers + 1];
    parametersBefore = new int[layers + 1];
    messageTime = messages.clone();
    tensors = new int[layers];
    for (int i = 0; i < layers; i++) {
      timeBefore[i + 1] = timeBefore[i] + costs[i];
      parametersBefore[i + 1] = parametersBefore[i] + cuts.parameters(i);
      tensors[i] = i == 0 ? 0 : cuts.crossing(i).size();
    }
    double[] none = new double[layers + 1];
    Arrays.fill(none, Double.POSITIVE_INFINITY);
    none[0] = 0;
    rows.add(none);
  }

  /** The places of the layers that begin the stages, each of which has parameters. */
  public List<Integer> begins(int stages) {
    double best = slowest(stages);
    double limit = best * NEARLY;
    // Tensors count first; among as many, even stages: squares of shares are less than one tensor.
    double[][] least = new double[stages + 1][layers + 1];
    int[][] from = new int[stages + 1][layers + 1];
    for (double[] row : least) {
      Arrays.fill(row, Double.POSITIVE_INFINITY);
    }
    least[0][0] = 0;
    for (int stage = 1; stage <= stages; stage++) {
      double[] previous = least[stage - 1];
      for (int end = stage; end <= layers; end++) {
        double fewest = Double.POSITIVE_INFINITY;
        for (int begin = end - 1; begin >= stage - 1 && layers(begin, end) <= limit; begin--) {
          double before = previous[begin] + tensors[begin];
          if (before > fewest || before == Double.POSITIVE_INFINITY) {
            continue;
          }
          double time = time(begin, end);
          if (time <= limit) {
            double share = limit > 0 ? time / limit : 0;
            double cost = before + share * share / (stages + 1);
            if (cost <= fewest) {
              fewest = cost;
              from[stage][end] = begin;
            }
          }
        }
        least[stage][end] = fewest;
      }
    }
    List<Integer> begins = new ArrayList<>();
    int end = layers;
    for (int stage = stages; stage > 0; stage--) {
      end = from[stage][end];
      begins.addFirst(end);
    }
    return List.copyOf(begins);
  }

  /** The cost of the slowest stage of the best cut. */
  synchronized double slowest(int stages) {
    for (int stage = rows.size(); stage <= stages; stage++) {
      double[] best = rows.getLast();
      double[] next = new double[layers + 1];
      Arrays.fill(next, Double.POSITIVE_INFINITY);
      for (int end = stage; end <= layers; end++) {
        // Longer stages are slower, whatever lies before them.
        for (int begin = end - 1; begin >= stage - 1 && layers(begin, end) < next[end]; begin--) {
          next[end] = Math.min(next[end], Math.max(best[begin], time(begin, end)));
        }
      }
      rows.add(next);
    }
    return rows.get(stages)[layers];
  }

  /** The cost of a stage of these layers; infinite if it has no parameters. */
  double time(int begin, int end) {
    return parametersBefore[begin] == parametersBefore[end]
        ? Double.POSITIVE_INFINITY
        : layers(begin, end) + messageTime[begin];
  }

  /** The cost of layers without their messages. */
  private double layers(int begin, int end) {
    return timeBefore[end] - timeBefore[begin];
  }
}
