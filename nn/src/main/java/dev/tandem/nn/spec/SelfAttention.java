package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import java.util.List;

/** Multi-head self-attention, every token to every token, after Vaswani et al. */
public record SelfAttention(String name, int heads) implements LayerSpec {

  public SelfAttention {
    Checks.atLeast(name, "heads", heads, 1);
  }

  @Override
  public String kind() {
    return "self-attention";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    Shape input = Checks.single(this, inputs);
    Checks.sequence(this, input);
    if (Checks.features(input) % heads != 0) {
      throw new UsageException(
          "layer %s: %d heads do not divide the features of its input %s"
              .formatted(name, heads, input));
    }
    return input;
  }

  @Override
  public List<ParameterSpec> parameters(List<Shape> inputs) {
    long features = Checks.features(inputs.getFirst());
    // Queries, keys and values come from one product: three blocks of rows, in this order.
    return List.of(
        ParameterSpec.drawn(
            name + ".in_projection.weight", Shape.of(3 * features, features), features),
        ParameterSpec.zeros(name + ".in_projection.bias", Shape.of(3 * features)),
        ParameterSpec.drawn(
            name + ".out_projection.weight", Shape.of(features, features), features),
        ParameterSpec.zeros(name + ".out_projection.bias", Shape.of(features)));
  }
}
