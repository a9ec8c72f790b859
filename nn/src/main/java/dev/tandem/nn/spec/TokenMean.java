package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import java.util.List;

/** The mean of all tokens of a sequence. */
public record TokenMean(String name) implements LayerSpec {

  @Override
  public String kind() {
    return "token-mean";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    Shape input = Checks.single(this, inputs);
    Checks.sequence(this, input);
    return Shape.of(Checks.features(input));
  }
}
