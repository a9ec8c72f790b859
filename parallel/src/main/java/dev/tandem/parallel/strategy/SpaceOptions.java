package dev.tandem.parallel.strategy;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.NetworkSpec;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Where parts of space come together.
 *
 * @param aggregate after this layer; if empty, as late as possible
 * @param toSamples whether ranks have other samples after that, rather than all the same
 * @param memoryBytes if more than 0: as early as activations take no more than this on a rank
 * @param samples of a group of ranks in a step, to count memory
 */
public record SpaceOptions(
    Optional<String> aggregate, boolean toSamples, long memoryBytes, int samples) {

  /** As late as possible, then every rank the same. */
  public static final SpaceOptions USUAL = new SpaceOptions(Optional.empty(), false, 0, 1);

  /** Bytes of a rank's activations in float32 if these layers are split in space. */
  long bytes(NetworkSpec network, Set<String> split, int parts) {
    Map<String, Shape> shapes = network.shapes();
    long bytes = 0;
    for (NetworkSpec.Node node : network.nodes()) {
      long elements = shapes.get(node.name()).elements() * samples * Float.BYTES;
      boolean divided = toSamples || split.contains(node.name());
      bytes += divided ? Math.ceilDiv(elements, parts) : elements;
    }
    return bytes;
  }
}
