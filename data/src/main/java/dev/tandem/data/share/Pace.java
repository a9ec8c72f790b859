package dev.tandem.data.share;

import java.util.List;

/** How one consumer takes the sequence by its speed and that of the others. For one thread. */
final class Pace {

  /** Consumers that differ by less are equally fast. */
  private static final double EQUAL = 0.15;

  private static final double WEIGHT = 0.1;
  private static final int WARM_UP = 4;

  /** A change that was found so often is no chance. */
  private static final int SURE = 6;

  private double secondsPerSample;
  private int measured;
  private int wished = 1;
  private int agreed;

  /** Time that the consumer took for samples, without waiting. */
  void took(long samples, double seconds) {
    measured++;
    if (samples == 0 || measured <= WARM_UP) {
      return; // the first steps compile code
    }
    double now = seconds / samples;
    secondsPerSample =
        secondsPerSample == 0 ? now : secondsPerSample + WEIGHT * (now - secondsPerSample);
  }

  /** Samples per second; 0 if it is not known yet. */
  double rate() {
    return secondsPerSample == 0 ? 0 : 1 / secondsPerSample;
  }

  /**
   * One in how many records it should take, so that it keeps up with the fastest: {@code ceil(r1 /
   * r)}, once that has been so for some steps.
   */
  int every(int present, List<Consumer> all, Consumer own) {
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
    return agreed >= SURE ? now : present;
  }
}
