package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import java.util.List;

/**
 * Local response normalisation: x / (k + alpha m)^beta, where m is the mean of the squares in a
 * window around the element, zeros beyond the border counted.
 *
 * @param size of the window, odd
 * @param across whether the window goes over channels or over space
 */
public record LocalResponseNorm(
    String name,
    @Default("5") int size,
    @Default("1e-4") double alpha,
    @Default("0.75") double beta,
    @Default("1") double k,
    @Default("channels") Across across)
    implements LayerSpec {

  /** Where the neighbours of an element are. */
  public enum Across {
    /** The same place in neighbouring channels, as in AlexNet. */
    CHANNELS,
    /** The places around it in the same channel, as in Caffe's CIFAR-10 network. */
    SPACE
  }

  public LocalResponseNorm {
    if (size < 1 || size % 2 == 0) {
      throw new UsageException(
          "layer %s: size is %d, expected an odd number".formatted(name, size));
    }
    Checks.positive(name, "alpha", alpha);
    Checks.positive(name, "beta", beta);
    Checks.positive(name, "k", k);
  }

  /** As in AlexNet and GoogLeNet: over channels, k = 1. */
  public LocalResponseNorm(String name, int size, double alpha, double beta) {
    this(name, size, alpha, beta, 1, Across.CHANNELS);
  }

  @Override
  public String kind() {
    return "local-response-norm";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    Shape input = Checks.single(this, inputs);
    Checks.space(this, input);
    return input;
  }
}
