package dev.tandem.oracle.published;

import static dev.tandem.oracle.published.NetworkSizes.sum;

import java.util.List;

/**
 * How much of each constant an iteration of a configuration takes, as far as it counts as
 * computation and as communication. Arrays are not changed after the constructor.
 *
 * <p>What is sent is what ChainerMNX sends: filter parallelism gathers outputs and reduces a
 * device's share of the gradients of inputs; channel parallelism reduces outputs and gathers the
 * gradients of inputs; the first convolution, and all that is no convolution, is computed whole.
 * Space is split up to the fully connected layers, rows and the gradients of all parameters travel
 * through the host. A ring of p sends (p-1)/p of what it gathers, and twice as much for a sum.
 */
final class Amounts {

  private static final double GIGA = 1e9;

  /** Arrays above this share of a device's memory are too large for the pool. */
  private static final double LARGE = 1.0 / 32;

  /** Pieces that a pipeline cuts its samples into. */
  private static final int PIECES = 8;

  final double[] computation = new double[Constant.values().length];
  final double[] communication = new double[Constant.values().length];
  final int nodes;

  private final NetworkSizes network;
  private final double largeBytes;
  private final int perNode;

  Amounts(Configuration configuration, NetworkSizes network, Platform platform) {
    this.network = network;
    largeBytes = platform.cluster().device().memoryBytes() * LARGE;
    perNode = platform.devicesPerNode();
    int devices = configuration.devices();
    nodes = Math.max(1, Math.ceilDiv(devices, perNode));
    double nodeSamples = configuration.samplesPerDevice() * Math.min(devices, perNode);
    switch (configuration.strategy()) {
      case DATA -> data(devices, configuration.samplesPerDevice());
      case FILTER -> filter(devices, configuration.batch());
      case CHANNEL -> channel(devices, configuration.batch());
      case DATA_FILTER -> dataFilter(nodeSamples);
      case SPATIAL, DATA_SPATIAL -> spatial(Math.min(devices, perNode), nodeSamples);
      case PIPELINE -> pipeline(devices, configuration.batch());
    }
  }

  private void data(int devices, double samples) {
    compute(network.serialSeconds() * samples);
    if (devices > 1) {
      add(
          communication,
          devices <= perNode ? Constant.EXCHANGE_WITHIN : Constant.GRADIENTS,
          ring(devices) * 2 * network.weights() / GIGA);
    }
  }

  private void filter(int devices, double samples) {
    splitLayers(devices, samples, Constant.FILTER_COPY);
    add(computation, Constant.GATHERED_ARRAY, devices * network.splitOutputs().size());
    collectives(devices, filterBytes(devices, samples));
    replicated(sum(network.denseWeights()));
    add(communication, Constant.LARGE_ARRAY, largeWeights());
  }

  private void channel(int devices, double samples) {
    splitLayers(devices, samples, Constant.CHANNEL_COPY);
    collectives(devices, samples * (2 * sum(network.splitOutputs()) + sum(network.splitInputs())));
    replicated(sum(network.denseWeights()));
    // Full sums in the forward pass, and full gathers in the backward pass.
    add(computation, Constant.LARGE_ARRAY, largeWeights());
    add(communication, Constant.LARGE_ARRAY, largeWeights());
  }

  private void dataFilter(double nodeSamples) {
    splitLayers(perNode, nodeSamples, Constant.HYBRID_COPY);
    collectives(perNode, filterBytes(perNode, nodeSamples));
    double dense = sum(network.denseWeights());
    // Each device of a node has its part of the convolutions and all of the rest.
    double nodeBytes = network.weights() - dense + perNode * dense;
    add(communication, Constant.SEGMENTED_GRADIENTS, ring(nodes) * 2 * nodeBytes / GIGA);
    add(communication, Constant.SEGMENT, network.splitOutputs().size());
  }

  private void spatial(int parts, double samples) {
    compute(network.serialSeconds() * samples / parts);
    add(computation, Constant.UPDATE, network.weights() / GIGA);
    add(computation, Constant.LAUNCH, network.layers());
    replicated(network.weights());
    // Both ways, one after the other, forward and backward.
    add(communication, Constant.HALO, 4 * network.haloRow() * samples / GIGA);
    add(communication, Constant.SPACE_GATHER, 2 * network.gathered() * samples / GIGA);
    double large =
        network.outputs().stream()
            .mapToDouble(bytes -> bytes * samples / parts)
            .filter(bytes -> bytes > largeBytes)
            .sum();
    add(communication, Constant.LARGE_ARRAY, 2 * large / GIGA + largeWeights());
  }

  /** GPipe, which computes the activations of all pieces but the last again. */
  private void pipeline(int stages, double samples) {
    double again = 1.0 / 3 * (PIECES - 1) / PIECES;
    double slots = (double) (PIECES + stages - 1) / (PIECES * stages);
    compute(network.serialSeconds() * samples * (1 + again) * slots);
  }

  /** Convolutions are divided, the other layers are not. */
  private void splitLayers(int devices, double samples, Constant copy) {
    double split = network.convolutionShare();
    compute(network.serialSeconds() * samples * (1 - split + split / devices));
    add(computation, copy, sum(network.splitOutputs()) * samples / GIGA);
  }

  private double filterBytes(int devices, double samples) {
    return samples * (sum(network.splitOutputs()) + 2 * sum(network.splitInputs()) / devices);
  }

  /** A collective for each split convolution in each direction. */
  private void collectives(int devices, double bytes) {
    double sent = ring(devices) * bytes / GIGA;
    if (devices <= perNode) {
      add(communication, Constant.EXCHANGE_WITHIN, sent);
    } else {
      add(communication, Constant.EXCHANGE_BETWEEN, sent);
      add(communication, Constant.RING_STEP, 2.0 * (devices - 1) * network.splitOutputs().size());
    }
  }

  private void replicated(double bytes) {
    add(communication, Constant.REPLICATED_GRADIENTS, bytes / GIGA);
  }

  /** Gigabytes of large parameters and of their gradients. */
  private double largeWeights() {
    List<Double> dense = network.denseWeights();
    return 2 * dense.stream().mapToDouble(b -> b).filter(b -> b > largeBytes).sum() / GIGA;
  }

  private static double ring(int ranks) {
    return (double) (ranks - 1) / ranks;
  }

  private void compute(double seconds) {
    add(computation, Constant.COMPUTE, seconds);
  }

  /** Times are in the unit of the constant. */
  @SuppressWarnings("EnumOrdinal") // the place in arrays of all constants
  private static void add(double[] to, Constant constant, double amount) {
    to[constant.ordinal()] += amount * scale(constant);
  }

  private static double scale(Constant constant) {
    if (constant.unit().startsWith("us")) {
      return 1e-6;
    }
    return constant.unit().startsWith("ms") ? 1e-3 : 1;
  }
}
