package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import java.util.List;
import java.util.Optional;

/**
 * Group normalisation: in each sample, each group of channels is brought to mean 0 and variance 1,
 * then each channel is scaled and shifted.
 *
 * @param epsilon added to the variance
 * @param ranks those that have another part of space of this layer in a split network, over which
 *     the sums behind the statistics are taken; files do not know them
 */
public record GroupNorm(String name, int groups, double epsilon, Optional<Transfer> ranks)
    implements LayerSpec {

  public GroupNorm {
    Checks.atLeast(name, "groups", groups, 1);
    Checks.positive(name, "epsilon", epsilon);
  }

  public GroupNorm(String name, int groups) {
    this(name, groups, 1e-5);
  }

  public GroupNorm(String name, int groups, double epsilon) {
    this(name, groups, epsilon, Optional.empty());
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
