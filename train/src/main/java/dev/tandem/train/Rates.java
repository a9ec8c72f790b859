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
  private final Schedule schedule;

  /** Rates of a run whose steps would be these if the batch did not change. */
  Rates(TrainingConfig config, Steps steps) {
    this.config = config;
    this.steps = steps;
    long all = steps.stepsFor(config.epochs());
    long run = config.mostSteps() == 0 ? all : Math.min(all, config.mostSteps());
    schedule = config.schedule().over(steps.stepsFor(1), run);
  }

  /** The rate of a step that begins here and has a batch of this size. */
  double at(Position position, int batch) {
    long step =
        switch (steps.epochEnd()) {
          case CIRCULAR -> position.sample() / steps.globalBatch();
          case EXACT ->
              steps.order().epochOf(position.sample()) * steps.stepsFor(1)
                  + steps.order().placeOf(position.sample()) / steps.globalBatch();
        };
    return schedule.rate(step) * config.schedule().scale(batch);
  }
}
