package dev.tandem.oracle.sync;

/**
 * What the simulator knows of a network.
 *
 * @param parameters that are trained
 * @param tensors of gradients they come in
 * @param relativeCompute time of forward and backward pass, ResNet50's being 1
 * @param nodes of the graph that the engine dispatches in a pass
 */
public record NetworkProfile(
    String name, long parameters, int tensors, double relativeCompute, int nodes) {

  private static final int GRADIENT_BYTES = 4;

  public NetworkProfile {
    if (parameters < 1 || tensors < 1 || !(relativeCompute > 0) || nodes < 1) {
      throw new IllegalArgumentException(
          "network %s: parameters, tensors, relativeCompute and nodes must be above 0"
              .formatted(name));
    }
  }

  /** Bytes of all gradients; they are summed in single precision. */
  double gradientBytes() {
    return (double) parameters * GRADIENT_BYTES;
  }
}
