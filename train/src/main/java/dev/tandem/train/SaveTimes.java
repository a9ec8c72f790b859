package dev.tandem.train;

import dev.tandem.checkpoint.AutomaticInterval;
import dev.tandem.comm.Communicator;
import dev.tandem.train.config.CheckpointConfig;
import java.util.Optional;

/**
 * Says after which steps the state is saved: after each n-th, or as the measured costs suggest. One
 * thread, in all ranks at the same place of the program.
 */
final class SaveTimes {

  /** What a save costs is unknown before the first one. */
  private static final long UNTIL_FIRST = 20;

  private static final double SECONDS_OF_HOUR = 3600;

  private final long every;
  private final Optional<AutomaticInterval> automatic;
  private long lastStep;
  private long lastNanos = System.nanoTime();

  private SaveTimes(long every, Optional<AutomaticInterval> automatic, long made) {
    this.every = every;
    this.automatic = automatic;
    this.lastStep = made;
  }

  /**
   * As a configuration says.
   *
   * @param made steps that are made already
   */
  static SaveTimes of(CheckpointConfig config, Communicator ranks, long made) {
    return switch (config.interval()) {
      case CheckpointConfig.Fixed(long steps) -> new SaveTimes(steps, Optional.empty(), made);
      case CheckpointConfig.Automatic(double hours, double percent) -> {
        AutomaticInterval interval =
            new AutomaticInterval(ranks, hours * SECONDS_OF_HOUR, percent / 100, UNTIL_FIRST);
        interval.begin(made);
        yield new SaveTimes(0, Optional.of(interval), made);
      }
    };
  }

  /** Whether to save after this step. */
  boolean due(long step) {
    return automatic.isPresent() ? automatic.get().due(step) : every > 0 && step % every == 0;
  }

  /**
   * A save was made; all ranks call it.
   *
   * @param stallSeconds that it took of the training's time
   * @param writeSeconds that the last one took to be written; 0 if unknown
   */
  void saved(long step, double stallSeconds, double writeSeconds) {
    if (automatic.isPresent()) {
      long now = System.nanoTime();
      double training = (now - lastNanos) / 1e9 - stallSeconds;
      automatic
          .get()
          .saved(step, stallSeconds, writeSeconds, training / Math.max(1, step - lastStep));
      lastStep = step;
      lastNanos = now;
    }
  }
}
