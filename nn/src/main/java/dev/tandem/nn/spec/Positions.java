package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import java.util.List;

/** Adds to each token a learnt vector of its place in the sequence. */
public record Positions(String name) implements LayerSpec {

  @Override
  public String kind() {
    return "positions";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    Shape input = Checks.single(this, inputs);
    Checks.sequence(this, input);
    return input;
  }

  @Override
  public List<ParameterSpec> parameters(List<Shape> inputs) {
    return List.of(ParameterSpec.zeros(name + ".weight", inputs.getFirst()));
  }
}
