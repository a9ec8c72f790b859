package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import java.util.List;

/** All elements in a row: channel by channel, each line by line. */
public record Flatten(String name) implements LayerSpec {

  @Override
  public String kind() {
    return "flatten";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    return Shape.of(Checks.single(this, inputs).elements());
  }
}
