package dev.tandem.train;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;

/** Where the time of a rank goes. For one thread. */
public final class Phases {

  /** What a rank does during a step. */
  public enum Phase {
    READ,
    COMPUTE,
    SYNC
  }

  private final Map<Phase, Long> nanos = new EnumMap<>(Phase.class);
  private long training;

  /** Does some work, whose time counts as this phase. */
  public <T> T in(Phase phase, Supplier<T> work) {
    long began = System.nanoTime();
    try {
      return work.get();
    } finally {
      nanos.merge(phase, System.nanoTime() - began, Long::sum);
    }
  }

  /** Likewise without a result. */
  public void in(Phase phase, Runnable work) {
    in(
        phase,
        () -> {
          work.run();
          return null;
        });
  }

  /** The time in a phase so far. */
  long nanos(Phase phase) {
    return nanos.getOrDefault(phase, 0L);
  }

  double seconds(Phase phase) {
    return nanos(phase) / 1e9;
  }

  /** A step took so long, with all its phases. */
  void addTraining(long stepNanos) {
    training += stepNanos;
  }

  /** The time of all steps; what is between them does not count. */
  double trainingSeconds() {
    return training / 1e9;
  }
}
