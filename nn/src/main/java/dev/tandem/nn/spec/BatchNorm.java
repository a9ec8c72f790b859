package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import java.util.List;
import java.util.Optional;

/**
 * Batch normalisation: each channel is brought to mean 0 and variance 1 over the batch and over
 * space, then scaled and shifted. In evaluation the running statistics serve instead, which are
 * buffers.
 *
 * @param momentum share of the running statistics that a batch replaces
 * @param epsilon added to the variance
 * @param ranks those that have other samples or another part of space of this layer in a split
 *     network, over which the sums behind the statistics are taken; files do not know them
 */
public record BatchNorm(String name, double momentum, double epsilon, Optional<Transfer> ranks)
    implements LayerSpec {

  public BatchNorm {
    if (!(momentum > 0 && momentum <= 1)) {
      throw new UsageException(
          "layer %s: momentum is %s, expected more than 0 and at most 1".formatted(name, momentum));
    }
    Checks.positive(name, "epsilon", epsilon);
  }

  public BatchNorm(String name) {
    this(name, 0.1, 1e-5);
  }

  public BatchNorm(String name, double momentum, double epsilon) {
    this(name, momentum, epsilon, Optional.empty());
  }

  @Override
  public String kind() {
    return "batch-norm";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    Shape input = Checks.single(this, inputs);
    if (input.extents().size() != 1) {
      Checks.space(this, input);
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

  @Override
  public List<ParameterSpec> buffers(List<Shape> inputs) {
    Shape channels = Shape.of(Checks.channels(inputs.getFirst()));
    return List.of(
        ParameterSpec.zeros(name + ".running_mean", channels),
        ParameterSpec.ones(name + ".running_var", channels));
  }
}
