package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.TensorView;
import dev.tandem.sync.GradientSynchronizer;
import dev.tandem.sync.compress.Volume;
import java.util.ArrayList;
import java.util.List;

/**
 * Sums gradients over ranks that differ in samples and in space in three steps, after the backward
 * pass: within each group of neighbours to its first rank, over these first ranks, and back to the
 * neighbours. Less travels between groups than if all ranks sum at once, and less is done at the
 * same time.
 */
final class LeaderSums implements GradientSynchronizer {

  private final Communicator neighbours;
  private final Communicator data;
  private final List<TensorView> pending = new ArrayList<>();
  private long bytes;

  /**
   * The sums of one rank.
   *
   * @param neighbours that have other parts of the same samples; borrowed
   * @param data the ranks that have the same part of other samples; borrowed
   */
  LeaderSums(Communicator neighbours, Communicator data) {
    this.neighbours = neighbours;
    this.data = data;
  }

  @Override
  public void submit(TensorView gradient, float weight) {
    if (weight != 1) {
      throw new IllegalArgumentException("gradients are parts of one mean");
    }
    pending.add(gradient);
    bytes += gradient.byteSize();
  }

  @Override
  public void await() {
    for (TensorView gradient : pending) {
      neighbours.reduce(gradient.data(), gradient.dtype(), ReduceOp.SUM, 0);
      if (neighbours.rank() == 0) {
        data.allreduce(gradient.data(), gradient.dtype(), ReduceOp.SUM);
      }
      neighbours.broadcast(gradient.data(), 0);
    }
    pending.clear();
  }

  @Override
  public Volume volume() {
    return new Volume(bytes, bytes);
  }
}
