package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import java.util.List;

/** An image or volume as a sequence: each place becomes a token, the channels its features. */
public record Tokens(String name) implements LayerSpec {

  @Override
  public String kind() {
    return "tokens";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    Shape input = Checks.single(this, inputs);
    Checks.space(this, input);
    long channels = Checks.channels(input);
    return Shape.of(input.elements() / channels, channels);
  }
}
