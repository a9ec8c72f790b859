package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import java.util.List;

/** Every output sums up every feature of a row or, with the same weights, of each token. */
public record FullyConnected(String name, int outputs, @Default("true") boolean bias)
    implements LayerSpec {

  public FullyConnected {
    Checks.atLeast(name, "outputs", outputs, 1);
  }

  /** With bias. */
  public FullyConnected(String name, int outputs) {
    this(name, outputs, true);
  }

  @Override
  public String kind() {
    return "fully-connected";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    Shape input = Checks.single(this, inputs);
    return switch (input.extents().size()) {
      case 1 -> Shape.of(outputs);
      case 2 -> Shape.of(input.extents().getFirst(), outputs);
      default ->
          throw new UsageException(
              "layer %s takes rows (features) or sequences (tokens, features), not %s: put a flatten layer before it"
                  .formatted(name, input));
    };
  }

  @Override
  public List<ParameterSpec> parameters(List<Shape> inputs) {
    long features = Checks.features(inputs.getFirst());
    ParameterSpec weight =
        ParameterSpec.drawn(name + ".weight", Shape.of(outputs, features), features);
    return bias
        ? List.of(weight, ParameterSpec.zeros(name + ".bias", Shape.of(outputs)))
        : List.of(weight);
  }
}
