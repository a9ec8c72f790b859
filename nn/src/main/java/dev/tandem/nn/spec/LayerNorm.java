package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import java.util.List;

/** The features of each row or token are brought to mean 0 and variance 1, scaled and shifted. */
public record LayerNorm(String name, @Default("1e-5") double epsilon) implements LayerSpec {

  public LayerNorm {
    Checks.positive(name, "epsilon", epsilon);
  }

  public LayerNorm(String name) {
    this(name, 1e-5);
  }

  @Override
  public String kind() {
    return "layer-norm";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    Shape input = Checks.single(this, inputs);
    if (input.extents().isEmpty() || input.extents().size() > 2) {
      throw new UsageException(
          "layer %s takes rows (features) or sequences (tokens, features), not %s"
              .formatted(name, input));
    }
    return input;
  }

  @Override
  public List<ParameterSpec> parameters(List<Shape> inputs) {
    Shape features = Shape.of(Checks.features(inputs.getFirst()));
    return List.of(
        ParameterSpec.ones(name + ".weight", features),
        ParameterSpec.zeros(name + ".bias", features));
  }
}
