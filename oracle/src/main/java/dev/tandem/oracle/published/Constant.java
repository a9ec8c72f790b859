package dev.tandem.oracle.published;

import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * A constant of the machine and its software that measurements determine, the same for all
 * configurations. Each has a nominal value, from the description of the machine or from what such
 * software usually takes, from which a fit departs as far as measurements ask for it.
 */
public enum Constant {
  /** Time of layers, compared with the serial profile and its share. */
  COMPUTE(Part.COMPUTE, "x", _ -> 1),
  /** Launching the kernels of a layer on parts that are too small to hide it. */
  LAUNCH(Part.COMPUTE, "ms/layer", _ -> 0.1),
  /** Cutting, copying and joining the activations of split convolutions, by strategy. */
  FILTER_COPY(Part.COPY, "s/GB", _ -> 0.04),
  CHANNEL_COPY(Part.COPY, "s/GB", _ -> 0.04),
  HYBRID_COPY(Part.COPY, "s/GB", _ -> 0.04),
  /** Handling each of the arrays on the host that an allgather of a layer returns. */
  GATHERED_ARRAY(Part.COPY, "us/array", _ -> 48),
  /** Changing parameters, which is not divided where space is split. */
  UPDATE(Part.UPDATE, "s/GB", _ -> 0.1),
  /** Arrays too large for what the memory pool has free: it waits, releases, and allocates. */
  LARGE_ARRAY(Part.MEMORY, "s/GB", platform -> 1e9 / platform.hostBytesPerSecond()),
  /** Collectives of layers, within a node and between nodes. */
  EXCHANGE_WITHIN(Part.EXCHANGE, "s/GB", platform -> 1e9 / platform.within().bytesPerSecond()),
  EXCHANGE_BETWEEN(Part.EXCHANGE, "s/GB", platform -> 1e9 / platform.between().bytesPerSecond()),
  /** A step of the ring between nodes. */
  RING_STEP(Part.EXCHANGE, "us", platform -> 1e6 * platform.between().latencySeconds()),
  /** Rows for neighbours, through the memory of the host. */
  HALO(Part.EXCHANGE, "s/GB", platform -> 1e9 * hostTrip(platform)),
  /** Putting the parts of samples together where space is no longer split, through the host. */
  SPACE_GATHER(Part.EXCHANGE, "s/GB", platform -> 1e9 * hostTrip(platform)),
  /** Allreduce of all gradients over NCCL. */
  GRADIENTS(Part.GRADIENTS, "s/GB", platform -> 1e9 / platform.between().bytesPerSecond()),
  /** Gradients of layers that all devices of a node compute whole, through the host. */
  REPLICATED_GRADIENTS(Part.GRADIENTS, "s/GB", platform -> 1e9 * hostTrip(platform)),
  /** Several allreduces at once between nodes, which share the node's cards. */
  SEGMENTED_GRADIENTS(
      Part.GRADIENTS,
      "s/GB",
      platform -> 1e9 / (platform.between().bytesPerSecond() * platform.between().lanes())),
  /** An allreduce for each layer. */
  SEGMENT(Part.GRADIENTS, "ms/layer", _ -> 0.5);

  private final Part part;
  private final String unit;

  @SuppressWarnings("ImmutableEnumChecker") // functions without state
  private final ToDoubleFunction<Platform> nominal;

  Constant(Part part, String unit, ToDoubleFunction<Platform> nominal) {
    this.part = part;
    this.unit = unit;
    this.nominal = nominal;
  }

  /** To the host's memory and from it. */
  private static double hostTrip(Platform platform) {
    return 2 / platform.hostBytesPerSecond();
  }

  /** What of an iteration it makes longer. */
  public Part part() {
    return part;
  }

  /** Of its value. */
  public String unit() {
    return unit;
  }

  double nominal(Platform platform) {
    return nominal.applyAsDouble(platform);
  }

  /** As it is written. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
