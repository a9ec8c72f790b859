package dev.tandem.sync.simulate;

/**
 * What the simulator knows of a network.
 *
 * @param parameters that are trained
 * @param tensors of gradients they come in
 * @param relativeCompute time of forward and backward pass, ResNet50's being 1
 */
public record NetworkProfile(String name, long parameters, int tensors, double relativeCompute) {

  private static final int GRADIENT_BYTES = 4;

  public NetworkProfile {
    if (parameters < 1 || tensors < 1 || !(relativeCompute > 0)) {
      throw new IllegalArgumentException(
          "network %s: parameters, tensors and relativeCompute must be above 0".formatted(name));
    }
  }

  /** Bytes of all gradients; they are summed in single precision. */
  double gradientBytes() {
    return (double) parameters * GRADIENT_BYTES;
  }
}
