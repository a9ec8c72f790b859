package dev.tandem.sync.simulate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/**
 * Figures of the baseline: what the noise is fitted to. Published for TensorFlow with Horovod
 * 0.16.3 training ResNet50 on Summit (thesis, chapter 6.2; nothing here comes from a variant).
 *
 * @param slowdown against linear scaling on the most ranks
 * @param allreduceShare of the time on the most ranks that is not forward and backward pass
 * @param backgroundShare of the time on the most ranks in which devices wait for the synchroniser
 * @param leastBusyShare of the synchroniser's thread over the numbers of ranks
 * @param mostBusyShare the same, at most
 * @param syntheticGain of samples a second without input pipeline, at most over the numbers of
 *     ranks
 * @param switchesRatio of the engine's involuntary waits with input pipeline to those without, mean
 *     over the numbers of ranks
 * @param windowShare of one node's time in which input and engine are busy before transfers
 * @param line the communication time on each number of ranks between one node and the most, over
 *     what a straight line over the logarithm of ranks has there; all 1 if it grows linearly
 */
record BaselineFigures(
    double slowdown,
    double allreduceShare,
    double backgroundShare,
    double leastBusyShare,
    double mostBusyShare,
    double syntheticGain,
    double switchesRatio,
    double windowShare,
    List<Double> line) {

  static final BaselineFigures PUBLISHED =
      new BaselineFigures(
          3.3, 0.703, 0.46, 0.60, 0.90, 1.30, 8.5, 0.48, List.of(1.0, 1.0, 1.0, 1.0, 1.0));

  static final String NETWORK = "ResNet50";

  /** One node first, the most last, the same factor from each to the next. */
  private static final List<Integer> RANKS = List.of(6, 24, 96, 384, 1536, 6144, 24_576);

  BaselineFigures {
    line = List.copyOf(line);
  }

  /** What the simulator says with its parameters. Runs the baseline only. */
  static BaselineFigures simulated(SyncSimulator simulator, NetworkProfile network) {
    List<SimulatedSync> real = baselines(simulator, network, false);
    List<SimulatedSync> synthetic = baselines(simulator, network, true);
    double gain = 0;
    for (int i = 0; i < real.size(); i++) {
      gain = Math.max(gain, real.get(i).iterationMillis() / synthetic.get(i).iterationMillis());
    }
    SimulatedSync last = real.getLast();
    return new BaselineFigures(
        last.slowdown(),
        1 - last.computeShare(),
        last.backgroundShare(),
        busyShares(real).min().orElseThrow(),
        busyShares(real).max().orElseThrow(),
        gain,
        engineWaits(real) / engineWaits(synthetic),
        real.getFirst().windowShare(),
        line(real.stream().map(BaselineFigures::communicationMillis).toList()));
  }

  private static List<SimulatedSync> baselines(
      SyncSimulator simulator, NetworkProfile network, boolean synthetic) {
    List<SimulatedPolicy> baseline = List.of(SimulatedPolicy.BASELINE);
    return RANKS.stream()
        .map(
            ranks ->
                simulator.compare(network, ranks, baseline, Scaling.WEAK, synthetic).getFirst())
        .toList();
  }

  private static DoubleStream busyShares(List<SimulatedSync> rows) {
    return rows.stream().mapToDouble(SimulatedSync::busyShare);
  }

  private static double engineWaits(List<SimulatedSync> rows) {
    return rows.stream().mapToDouble(SimulatedSync::engineWaits).average().orElseThrow();
  }

  private static double communicationMillis(SimulatedSync row) {
    return row.iterationMillis() * (1 - row.computeShare());
  }

  private static List<Double> line(List<Double> times) {
    double first = times.getFirst();
    double step = (times.getLast() - first) / (times.size() - 1);
    List<Double> ratios = new ArrayList<>();
    for (int i = 1; i < times.size() - 1; i++) {
      ratios.add(times.get(i) / (first + i * step));
    }
    return ratios;
  }

  /** The sum of the squared relative deviations from other figures. */
  double distance(BaselineFigures other) {
    double[] mine = values();
    double[] others = other.values();
    double sum = 0;
    for (int i = 0; i < mine.length; i++) {
      sum += Math.pow(mine[i] / others[i] - 1, 2);
    }
    return sum;
  }

  private double[] values() {
    return DoubleStream.concat(
            DoubleStream.of(
                slowdown,
                allreduceShare,
                backgroundShare,
                leastBusyShare,
                mostBusyShare,
                syntheticGain,
                switchesRatio,
                windowShare),
            line.stream().mapToDouble(Double::doubleValue))
        .toArray();
  }

  /** One line. */
  String text() {
    return String.format(
            Locale.ROOT,
            "slowdown %.2f, allreduce share %.3f, background share %.3f, busy share %.2f to %.2f,"
                + " gain without input %.3f, switches with over without input %.1f, window %.3f,"
                + " line",
            slowdown,
            allreduceShare,
            backgroundShare,
            leastBusyShare,
            mostBusyShare,
            syntheticGain,
            switchesRatio,
            windowShare)
        + String.join(
            "", line.stream().map(ratio -> String.format(Locale.ROOT, " %.2f", ratio)).toList());
  }
}
