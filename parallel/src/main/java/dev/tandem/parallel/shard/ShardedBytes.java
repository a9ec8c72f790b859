package dev.tandem.parallel.shard;

import dev.tandem.core.DType;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.ParameterSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Bytes of what a rank keeps of a network's parameters in a {@link ShardedMemory}, or without one.
 *
 * @param parameters with windows, if whole ones are not kept
 * @param gradients likewise
 * @param updated of each value that the optimizer keeps for a parameter
 * @param largest the largest tensor that is updated
 */
public record ShardedBytes(long parameters, long gradients, long updated, long largest) {

  /**
   * Of a rank.
   *
   * @param stage empty if it keeps everything
   * @param ranks that have other samples
   */
  public static ShardedBytes of(
      NetworkSpec network, DType dtype, Optional<ShardStage> stage, int ranks, int rank) {
    List<ParameterSpec> all = network.parameters();
    long whole = AlignedTensors.bytes(dtype, all.stream().map(ParameterSpec::shape).toList());
    int parts = stage.isPresent() ? ranks : 1;
    int part = stage.isPresent() ? rank : 0;
    long rows =
        AlignedTensors.bytes(
            dtype,
            all.stream().map(each -> new RowCut(each.shape(), dtype, parts).rows(part)).toList());
    long largest =
        all.stream()
            .mapToLong(each -> new RowCut(each.shape(), dtype, parts).bytes(part))
            .max()
            .orElse(0);
    long windows = Arrays.stream(LayerWindows.sizes(dtype, ShardedMemory.layers(network))).sum();
    boolean rowsOfGradients = stage.isPresent() && stage.get() != ShardStage.OPTIMIZER;
    boolean rowsOfParameters = stage.isPresent() && stage.get() == ShardStage.PARAMETERS;
    return new ShardedBytes(
        rowsOfParameters ? rows + windows : whole,
        rowsOfGradients ? rows + windows : whole,
        rows,
        largest);
  }
}
