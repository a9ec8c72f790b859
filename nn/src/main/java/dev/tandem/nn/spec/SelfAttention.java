package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import java.util.ArrayList;
import java.util.List;

/**
 * Multi-head self-attention, every token to every token, after Vaswani et al.
 *
 * @param headSize features of each head; 0 for those of the input by the number of heads
 * @param outputBias whether the last projection has a bias
 */
public record SelfAttention(
    String name, int heads, @Default("0") int headSize, @Default("true") boolean outputBias)
    implements LayerSpec {

  public SelfAttention {
    Checks.atLeast(name, "heads", heads, 1);
    Checks.atLeast(name, "head-size", headSize, 0);
  }

  public SelfAttention(String name, int heads) {
    this(name, heads, 0, true);
  }

  /** Features of all heads together, for an input of this many features. */
  public long width(long features) {
    return headSize == 0 ? features : (long) heads * headSize;
  }

  @Override
  public String kind() {
    return "self-attention";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    Shape input = Checks.single(this, inputs);
    Checks.sequence(this, input);
    if (headSize == 0 && Checks.features(input) % heads != 0) {
      throw new UsageException(
          "layer %s: %d heads do not divide the features of its input %s"
              .formatted(name, heads, input));
    }
    return input;
  }

  @Override
  public List<ParameterSpec> parameters(List<Shape> inputs) {
    long features = Checks.features(inputs.getFirst());
    long width = width(features);
    // Queries, keys and values come from one product: three blocks of rows, in this order.
    List<ParameterSpec> parameters = new ArrayList<>();
    parameters.add(
        ParameterSpec.drawn(
            name + ".in_projection.weight", Shape.of(3 * width, features), features));
    parameters.add(ParameterSpec.zeros(name + ".in_projection.bias", Shape.of(3 * width)));
    parameters.add(
        ParameterSpec.drawn(name + ".out_projection.weight", Shape.of(features, width), width));
    if (outputBias) {
      parameters.add(ParameterSpec.zeros(name + ".out_projection.bias", Shape.of(features)));
    }
    return List.copyOf(parameters);
  }
}
