package dev.tandem.train;

import dev.tandem.nn.LayerTimer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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
    SAVE,
    VALIDATE;

    /** What people call it. */
    String word() {
      return this == READ ? "input" : name().toLowerCase(Locale.ROOT);
    }
  }

  /** Is told of each piece of time that was spent in a phase. */
  interface Observer {
    void spent(Phase phase, long beginNanos, long endNanos);
  }

  private final Map<Phase, Long> nanos = new EnumMap<>(Phase.class);
  private Observer observer = (phase, begin, end) -> {};
  private Optional<LayerTimer> layers = Optional.empty();
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
    add(current, began, now);
    current = phase;
    began = now;
  }

  /** Some more time was spent in a phase, up to now. */
  void add(Phase phase, long more) {
    long now = System.nanoTime();
    add(phase, now - more, now);
  }

  private void add(Phase phase, long begin, long end) {
    nanos.merge(phase, end - begin, Long::sum);
    if (end > begin) {
      observer.spent(phase, begin, end);
    }
  }

  /** Lets another see where the time goes, from now on. */
  void observedBy(Observer other) {
    observer = other;
  }

  /** Lets another be told how long layers take, from now on; or nobody. */
  void timeLayers(Optional<LayerTimer> timer) {
    layers = timer;
  }

  /** Who is told how long layers take. */
  Optional<LayerTimer> layers() {
    return layers;
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
