package dev.tandem.train;

import dev.tandem.data.load.Batch;
import dev.tandem.data.load.Plan;
import dev.tandem.data.order.Position;

/**
 * How a rank makes the gradients of a step: computes those of its own samples, layer by layer,
 * hands each to synchronisation as soon as it is ready, and waits for the sums. One thread.
 */
sealed interface GradientWork extends AutoCloseable permits ShareWork, ShardWork {

  /**
   * Leaves the gradients of the whole step in the network, the same bits on every rank.
   *
   * @param step its number, from 0
   * @return the mean loss over the step's samples of all ranks
   */
  double run(Batch batch, long step);

  /** Makes buffers, such as running statistics, the same on every rank. */
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
