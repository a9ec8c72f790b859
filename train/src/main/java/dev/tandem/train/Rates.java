package dev.tandem.train;

import dev.tandem.data.order.Position;
import dev.tandem.data.order.Steps;
import dev.tandem.nn.Schedule;
import dev.tandem.train.config.TrainingConfig;

/**
 * The learning rate at every place of a run. The schedule is laid over the run as the configured
 * batch cuts it: where the batch changes on the way, the rate follows the samples, not the steps.
 */
final class Rates {

  private final TrainingConfig config;
  private final Steps steps;
  private final int uses;
  private final Schedule schedule;

  /**
   * Rates of a run whose steps would be these if the batch did not change.
   *
   * @param uses how often every sample that is read is served
   */
  Rates(TrainingConfig config, Steps steps, int uses) {
    this.config = config;
    this.steps = steps;
    this.uses = uses;
    long all = uses * steps.stepsFor(config.epochs());
    long run = config.mostSteps() == 0 ? all : Math.min(all, config.mostSteps());
    schedule = config.schedule().over(uses * steps.stepsFor(1), run);
  }

  /** The rate of a step that begins here and has a batch of this size. */
  double at(Position position, int batch) {
    long step =
        switch (steps.epochEnd()) {
          case CIRCULAR -> position.sample() / steps.globalBatch();
          case EXACT -> {
            long epoch = uses * steps.order().size();
            yield position.sample() / epoch * uses * steps.stepsFor(1)
                + position.sample() % epoch / steps.globalBatch();
          }
        };
    return schedule.rate(step) * config.schedule().scale(batch);
  }
}
