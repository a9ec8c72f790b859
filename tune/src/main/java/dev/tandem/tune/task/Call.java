package dev.tandem.tune.task;

import dev.tandem.core.Seed;
import dev.tandem.tune.space.Parameters;
import java.nio.file.Path;

/**
 * What the work of a trial is called with.
 *
 * @param metric the name of the value that is wanted; empty if none is
 * @param seed of the trial: the same for each attempt
 * @param budget the last step wanted; 0 for as many as the work likes
 * @param resumeFrom a checkpoint to go on from; empty to begin
 * @param folder of the trial; an attempt has {@code attempt-N} in it
 */
public record Call(
    Parameters parameters, String metric, Seed seed, long budget, String resumeFrom, Path folder) {

  /** The same, from a checkpoint. */
  public Call from(String checkpoint) {
    return new Call(parameters, metric, seed, budget, checkpoint, folder);
  }

  /** The folder of an attempt, which counts from 1. */
  public Path attemptFolder(int attempt) {
    return folder.resolve("attempt-" + attempt);
  }
}
