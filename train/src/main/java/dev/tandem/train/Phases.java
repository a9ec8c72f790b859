package dev.tandem.train;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;

/** Where the time of a rank goes. For one thread. */
public final class Phases {

  /** What a rank does during a step, and between two of them. */
  public enum Phase {
    READ,
    FORWARD,
    BACKWARD,
    SYNC,
    /** The norm of the gradients, and the change of the parameters. */
    UPDATE,
    /** The part of a checkpoint for which training stands still. */
    SAVE
  }

  private final Map<Phase, Long> nanos = new EnumMap<>(Phase.class);
  private long training;
  private Phase current;
  private long began;

  /** Does some work, whose time counts as this phase. */
  public <T> T in(Phase phase, Supplier<T> work) {
    current = phase;
    began = System.nanoTime();
    try {
      return work.get();
    } finally {
      enter(phase);
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

  /** From now on the work that is under way counts as this phase. */
  void enter(Phase phase) {
    long now = System.nanoTime();
    add(current, now - began);
    current = phase;
    began = now;
  }

  /** Some more time was spent in a phase. */
  void add(Phase phase, long more) {
    nanos.merge(phase, more, Long::sum);
  }

  /** The time in a phase so far. */
  long nanos(Phase phase) {
    return nanos.getOrDefault(phase, 0L);
  }

  double seconds(Phase phase) {
    return nanos(phase) / 1e9;
  }

  /** The time in which this rank has computed. */
  long computeNanos() {
    return nanos(Phase.FORWARD) + nanos(Phase.BACKWARD) + nanos(Phase.UPDATE);
  }

  /** A step took so long, with all its phases. */
  void addTraining(long stepNanos) {
    training += stepNanos;
  }

  /** The time of all steps; what is between them does not count. */
  double trainingSeconds() {
    return training / 1e9;
  }

  long trainingNanos() {
    return training;
  }
}
