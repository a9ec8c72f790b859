package dev.tandem.parallel.cost;

import dev.tandem.core.DType;
import dev.tandem.parallel.shard.ShardStage;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * What a training step does with a plan.
 *
 * @param passes of the step, one after the other
 * @param parameters the type of parameters and gradients
 * @param activations the type that layers compute with
 * @param frozen layers that do not learn
 * @param synchronised whether batch normalisations take sums over ranks with other samples
 * @param shard what ranks with other samples keep rows of, if they do
 */
public record PlannedStep(
    List<Pass> passes,
    DType parameters,
    DType activations,
    Set<String> frozen,
    boolean synchronised,
    Optional<ShardStage> shard) {

  /**
   * A forward and a backward pass.
   *
   * @param samples of the ranks that have the same samples
   * @param repeated whether the forward pass is made again before the backward pass
   */
  public record Pass(long samples, boolean repeated) {}

  public PlannedStep {
    passes = List.copyOf(passes);
    frozen = Set.copyOf(frozen);
  }

  /** One pass of float32. */
  public static PlannedStep of(long samples) {
    return new PlannedStep(
        List.of(new Pass(samples, false)),
        DType.FLOAT32,
        DType.FLOAT32,
        Set.of(),
        false,
        Optional.empty());
  }

  /** The same samples in this many passes, or one for each sample, as equal as can be. */
  public PlannedStep inPasses(int most, boolean repeated) {
    long samples = passes.stream().mapToLong(Pass::samples).sum();
    int count = Math.clamp(samples, 1, most);
    List<Pass> cut =
        IntStream.range(0, count)
            .mapToObj(i -> samples * (i + 1) / count - samples * i / count)
            .map(each -> new Pass(each, repeated))
            .toList();
    return new PlannedStep(cut, parameters, activations, frozen, synchronised, shard);
  }

  /** The same with other types. */
  public PlannedStep of(DType parameterType, DType activationType) {
    return new PlannedStep(passes, parameterType, activationType, frozen, synchronised, shard);
  }

  /** The same with layers that do not learn. */
  public PlannedStep freezing(Set<String> layers) {
    return new PlannedStep(passes, parameters, activations, layers, synchronised, shard);
  }

  /** The same with batch normalisations that meet. */
  public PlannedStep synchronising() {
    return new PlannedStep(passes, parameters, activations, frozen, true, shard);
  }

  /** The same with rows in the place of copies. */
  public PlannedStep sharding(ShardStage stage) {
    return new PlannedStep(
        passes, parameters, activations, frozen, synchronised, Optional.of(stage));
  }
}
