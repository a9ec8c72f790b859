package dev.tandem.train;

import dev.tandem.nn.spec.LayerCost;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.train.config.TrainingConfig;
import java.util.List;

/**
 * The memory that a rank needs for its part of the network, in bytes, as far as the configuration
 * decides it: what the engine needs for a moment, and what loaders read ahead, is not in it.
 *
 * @param samples of one pass of a rank, for which activations are kept
 * @param parameters with the running statistics
 * @param gradients all copies that the rank has of them
 * @param optimizer what the optimizer keeps
 * @param activations outputs of all layers and the input, until the backward pass is done
 */
public record RankMemory(
    int samples, long parameters, long gradients, long optimizer, long activations) {

  /** What a rank needs if there are this many. */
  public static RankMemory of(TrainingConfig config, List<LayerCost> layers, int ranks) {
    boolean elastic = config.determinism().elastic();
    int shards = config.determinism().shards();
    int data = config.mesh(ranks).size(Mesh.DATA);
    int parts = elastic ? shards : data * config.batch().accumulation();
    int samples = Math.ceilDiv(config.batch().global(), parts);
    long values = LayerCost.sum(layers, LayerCost::parameters);
    long kept =
        LayerCost.sum(layers, LayerCost::activations)
            * switch (config.compute().precision()) {
              case FLOAT32, TF32 -> Float.BYTES;
              case BFLOAT16 -> Short.BYTES;
            };
    // At level elastic the gradients of each of the rank's shards stay until they are summed.
    int copies = elastic ? 1 + Math.ceilDiv(shards, data) : 1;
    return new RankMemory(
        samples,
        (values + LayerCost.sum(layers, LayerCost::buffers)) * Float.BYTES,
        copies * values * Float.BYTES,
        config.optimizer().valuesPerParameter() * values * Float.BYTES,
        samples * (kept + config.network().input().elements() * Float.BYTES));
  }

  /** All of it. */
  public long total() {
    return parameters + gradients + optimizer + activations;
  }
}
