package dev.tandem.tune.task;

import dev.tandem.core.Seed;
import dev.tandem.tune.space.Parameters;
import java.nio.file.Path;

/** What Java code of a trial sees of the study. */
public interface TaskContext {

  Parameters parameters();

  /** For all random choices of the trial. */
  Seed seed();

  /** The number of the trial. */
  long number();

  /** The last step wanted; 0 for as many as the work likes. */
  long budget();

  /**
   * Says how far the trial is.
   *
   * @return whether it is to go on; if not, whatever it returns is not its value
   */
  boolean report(long step, double value);

  /** Where to write checkpoints; made on the first call. */
  Path checkpointFolder();

  /** Says that a checkpoint is whole. */
  void checkpoint(long step, Path path);

  /** The checkpoint to go on from; empty to begin. */
  String resumeFrom();
}
