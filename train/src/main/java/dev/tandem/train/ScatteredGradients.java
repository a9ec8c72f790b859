package dev.tandem.train;

import dev.tandem.core.TensorView;
import dev.tandem.parallel.shard.ShardedMemory;
import dev.tandem.sync.compress.Volume;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Sums gradients of which each rank keeps rows. What is submitted again before {@link #await}, in
 * another pass of the step, is added.
 */
final class ScatteredGradients implements GradientSums {

  private final ShardedMemory memory;
  private final BatchStatistics statistics;
  private final Map<String, Integer> places = new HashMap<>();
  private long handedOver;

  /** Sums gradients in this memory, which is borrowed. */
  ScatteredGradients(RankGroups groups, ShardedMemory memory) {
    this.memory = memory;
    statistics = new BatchStatistics(groups, Map.of());
    List<TensorView> gradients = memory.gradients().computing();
    for (int i = 0; i < gradients.size(); i++) {
      places.put(gradients.get(i).name(), i);
    }
  }

  @Override
  public BatchStatistics statistics() {
    return statistics;
  }

  @Override
  public void submit(TensorView gradient, float weight) {
    handedOver += gradient.byteSize();
    memory.reduceGradient(places.get(gradient.name()));
  }

  @Override
  public void await() {
    memory.awaitGradients();
  }

  @Override
  public Volume volume() {
    return new Volume(handedOver, handedOver);
  }

  @Override
  public void close() {
    // The memory is the network's.
  }
}
