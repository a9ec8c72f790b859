package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import java.util.List;

/**
 * Group normalisation: in each sample, each group of channels is brought to mean 0 and variance 1,
 * then each channel is scaled and shifted.
 */
public record GroupNorm(String name, int groups, @Default("1e-5") double epsilon)
    implements LayerSpec {

  public GroupNorm {
    Checks.atLeast(name, "groups", groups, 1);
    Checks.positive(name, "epsilon", epsilon);
  }

  public GroupNorm(String name, int groups) {
    this(name, groups, 1e-5);
  }

  @Override
  public String kind() {
    return "group-norm";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    Shape input = Checks.single(this, inputs);
    Checks.space(this, input);
    if (Checks.channels(input) % groups != 0) {
      throw new UsageException(
          "layer %s: %d groups do not divide the channels of its input %s"
              .formatted(name, groups, input));
    }
    return input;
  }

  @Override
  public List<ParameterSpec> parameters(List<Shape> inputs) {
    Shape channels = Shape.of(Checks.channels(inputs.getFirst()));
    return List.of(
        ParameterSpec.ones(name + ".weight", channels),
        ParameterSpec.zeros(name + ".bias", channels));
  }
}
