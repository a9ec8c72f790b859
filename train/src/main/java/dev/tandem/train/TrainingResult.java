package dev.tandem.train;

import java.nio.file.Path;

/**
 * How a run ended; the same on all ranks.
 *
 * @param loss mean loss on the test set
 * @param accuracy share of the test set that is classified right, 0 to 1
 * @param bestAccuracy that of the best validation
 * @param steps that were made, those before a resume included
 * @param stopped whether the run ended before its end: a listener stopped it, or validations
 *     brought no gain any more
 * @param folder of the run: configuration, metrics and checkpoints
 * @param details all numbers of the run
 */
public record TrainingResult(
    double loss,
    double accuracy,
    double bestAccuracy,
    long steps,
    boolean stopped,
    Path folder,
    TrainingEvent.Result details) {

  static TrainingResult of(TrainingEvent.Result result, Path folder) {
    return new TrainingResult(
        result.testLoss(),
        result.accuracy(),
        result.bestAccuracy(),
        result.steps(),
        result.stoppedEarly(),
        folder,
        result);
  }
}
