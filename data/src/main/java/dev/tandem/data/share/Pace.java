package dev.tandem.data.share;

import java.util.Arrays;
import java.util.List;

/** How one consumer takes the sequence by its speed and that of the others. For one thread. */
final class Pace {

  /** Consumers that differ by less are equally fast. */
  private static final double EQUAL = 0.15;

  /** Steps that say how fast the consumer is: it may change, and some take long by chance. */
  private static final int LAST = 7;

  /** A change that was found so often is no chance. */
  private static final int SURE = 6;

  /** For one that others are about to wait for. */
  private static final int PROBABLE = 1;

  private final double[] last = new double[LAST];
  private double secondsPerSample;
  private long measured;
  private int wished = 1;
  private int agreed;

  /** Time that the consumer took for samples, without waiting. */
  void took(long samples, double seconds) {
    if (samples == 0) {
      return;
    }
    last[(int) (measured++ % LAST)] = seconds / samples;
    int known = (int) Math.min(measured, LAST);
    double[] sorted = Arrays.copyOf(last, known);
    Arrays.sort(sorted);
    // The first steps compile code, so the shortest of them says most.
    secondsPerSample = known < LAST ? sorted[0] : sorted[LAST / 2];
  }

  /** Whether a rate is too low to stay beside another one; not if one of them is not known. */
  static boolean slower(double rate, double than) {
    return rate > 0 && rate * (1 + EQUAL) < than;
  }

  /** Samples per second; 0 if it is not known yet. */
  double rate() {
    return secondsPerSample == 0 ? 0 : 1 / secondsPerSample;
  }

  /** One in how many records it should take by the speeds that were seen last. */
  int wished() {
    return wished;
  }

  /**
   * One in how many records it should take, so that it keeps up with the fastest: {@code ceil(r1 /
   * r)}, once that has been so for some steps.
   *
   * @param pressed whether others are about to wait for it
   */
  int every(int present, List<Consumer> all, Consumer own, boolean pressed) {
    double fastest = rate();
    if (fastest == 0) {
      return present;
    }
    for (Consumer other : all) {
      if (other.row() != own.row()) {
        fastest = Math.max(fastest, other.rate());
      }
    }
    int now = (int) Math.max(1, Math.ceil(fastest / rate() - EQUAL));
    agreed = now == wished ? agreed + 1 : 0;
    wished = now;
    return agreed >= (pressed ? PROBABLE : SURE) ? now : present;
  }
}
