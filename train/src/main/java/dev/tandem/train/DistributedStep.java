package dev.tandem.train;

import dev.tandem.data.load.Batch;
import dev.tandem.data.load.Plan;
import dev.tandem.data.order.Position;
import dev.tandem.nn.Optimizer;

/**
 * How a rank makes the gradients of a step: computes those of its own samples, layer by layer,
 * hands each to synchronisation as soon as it is ready, and waits for the sums. One thread.
 */
sealed interface DistributedStep extends AutoCloseable
    permits DataParallelStep, ElasticStep, ServerStep {

  /**
   * Leaves the gradients of the whole step in the network, the same bits on every rank; with
   * parameter servers those of this rank's share.
   *
   * @param step its number, from 0
   * @return the mean loss over the step's samples of all ranks, or of this rank's share likewise
   */
  double run(Batch batch, long step);

  /** Changes the parameters by these gradients. */
  default void update(Optimizer optimizer, double rate) {
    optimizer.step(rate);
  }

  /**
   * Whether gradients that must not be used concern this rank alone: then it goes on with none, and
   * {@link #outcome} is to stop on all ranks after some step. Else all ranks have seen the same.
   *
   * @param what is wrong with them
   */
  default boolean withholds(String what) {
    return false;
  }

  /**
   * What all ranks do after this step: what one of them is asked for, or stop because one withholds
   * gradients.
   */
  StopRequests.Outcome outcome(StopRequests requests);

  /** Why all stop, as part of a sentence. */
  default String whyItStops() {
    return "as asked";
  }

  /** All ranks have made their last step, and have saved what they had to. */
  default void leave() {}

  /**
   * Makes what ranks have by themselves the same on every rank: buffers, such as running
   * statistics; with parameter servers also the parameters and what the optimizer keeps.
   */
  void agreeOnBuffers();

  /** Which samples this rank is given, from a position on. */
  Plan plan(Position from, long steps);

  /**
   * Refuses a cut of the data that this way of working cannot take.
   *
   * @param smallestStep samples of the smallest step, over all ranks
   */
  void check(long smallestStep);

  @Override
  void close();
}
