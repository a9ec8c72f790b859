package dev.tandem.sync.simulate;

import java.util.List;
import java.util.Locale;

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
 * @param windowShare of one node's time in which input and engine are busy before transfers
 * @param bend of the communication time over the logarithm of ranks: the middle against the mean of
 *     both ends; 1 is a straight line
 */
record BaselineFigures(
    double slowdown,
    double allreduceShare,
    double backgroundShare,
    double leastBusyShare,
    double mostBusyShare,
    double syntheticGain,
    double windowShare,
    double bend) {

  static final BaselineFigures PUBLISHED =
      new BaselineFigures(3.3, 0.703, 0.46, 0.60, 0.90, 1.30, 0.48, 1.0);

  static final String NETWORK = "ResNet50";

  private static final int NODE = 6;
  private static final int MIDDLE = 384;
  private static final int MOST = 24_576;
  private static final List<Integer> RANKS = List.of(NODE, 96, MIDDLE, 1536, 6144, MOST);

  /** From here on the thread's processor time is looked at, as in the published strong scaling. */
  private static final int FIRST_OF_BUSY = 96;

  /** What the simulator says with its parameters. Runs the baseline only. */
  static BaselineFigures simulated(SyncSimulator simulator, NetworkProfile network) {
    double leastBusy = 1;
    double mostBusy = 0;
    double gain = 0;
    double window = 0;
    double[] communication = new double[3];
    SimulatedSync last = null;
    for (int ranks : RANKS) {
      SimulatedSync real = baseline(simulator, network, ranks, false);
      SimulatedSync synthetic = baseline(simulator, network, ranks, true);
      gain = Math.max(gain, real.iterationMillis() / synthetic.iterationMillis());
      double waiting = real.iterationMillis() * (1 - real.computeShare());
      if (ranks >= FIRST_OF_BUSY) {
        leastBusy = Math.min(leastBusy, real.busyShare());
        mostBusy = Math.max(mostBusy, real.busyShare());
      }
      switch (ranks) {
        case NODE -> {
          window = real.windowShare();
          communication[0] = waiting;
        }
        case MIDDLE -> communication[1] = waiting;
        case MOST -> communication[2] = waiting;
        default -> {}
      }
      last = real;
    }
    return new BaselineFigures(
        last.slowdown(),
        1 - last.computeShare(),
        last.backgroundShare(),
        leastBusy,
        mostBusy,
        gain,
        window,
        2 * communication[1] / (communication[0] + communication[2]));
  }

  private static SimulatedSync baseline(
      SyncSimulator simulator, NetworkProfile network, int ranks, boolean synthetic) {
    return simulator
        .compare(network, ranks, List.of(SimulatedPolicy.BASELINE), Scaling.WEAK, synthetic)
        .getFirst();
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
    return new double[] {
      slowdown,
      allreduceShare,
      backgroundShare,
      leastBusyShare,
      mostBusyShare,
      syntheticGain,
      windowShare,
      bend
    };
  }

  /** One line. */
  String text() {
    return String.format(
        Locale.ROOT,
        "slowdown %.2f, allreduce share %.3f, background share %.3f, busy share %.2f to %.2f, gain without input %.3f,"
            + " window %.3f, bend %.3f",
        slowdown,
        allreduceShare,
        backgroundShare,
        leastBusyShare,
        mostBusyShare,
        syntheticGain,
        windowShare,
        bend);
  }
}
