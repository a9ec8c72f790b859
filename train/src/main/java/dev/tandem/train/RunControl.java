package dev.tandem.train;

/** What a {@link TrainingListener} may do to the run that it listens to. */
public interface RunControl {

  /**
   * Ends the run after this step: all ranks evaluate and save, and {@link Training#run} gives the
   * result. The run's metrics get the reason, of several the first.
   */
  void stop(String reason);
}
