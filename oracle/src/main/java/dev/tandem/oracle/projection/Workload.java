package dev.tandem.oracle.projection;

import dev.tandem.core.DType;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.NetworkSpec;
import java.util.Set;

/**
 * What is trained, however it is split.
 *
 * @param epochSamples samples of an epoch
 * @param batch samples of an iteration over all ranks
 * @param activations the type that layers compute with; parameters and gradients are float32
 * @param stateValues numbers that the optimizer keeps for each parameter
 * @param frozen layers that do not learn
 * @param synchronised whether batch normalisations take sums over ranks with other samples
 * @param inference whether only the forward pass is made
 */
public record Workload(
    NetworkSpec network,
    long epochSamples,
    int batch,
    DType activations,
    int stateValues,
    Set<String> frozen,
    boolean synchronised,
    boolean inference) {

  public Workload {
    frozen = Set.copyOf(frozen);
    if (batch < 1 || epochSamples < 1) {
      throw new UsageException(
          "batch is %d and the samples of an epoch are %d, expected at least 1"
              .formatted(batch, epochSamples));
    }
  }

  /** Training in float32 with an optimizer that keeps one number for each parameter. */
  public static Workload of(NetworkSpec network, long epochSamples, int batch) {
    return new Workload(network, epochSamples, batch, DType.FLOAT32, 1, Set.of(), false, false);
  }

  /** The same with another batch. */
  public Workload withBatch(int samples) {
    return new Workload(
        network, epochSamples, samples, activations, stateValues, frozen, synchronised, inference);
  }

  /** Iterations of an epoch; the last may be smaller. */
  public long iterations() {
    return Math.ceilDiv(epochSamples, batch);
  }
}
