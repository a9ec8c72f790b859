package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import java.util.List;

/** The sum of two inputs or more of one shape: the end of a residual block. */
public record Add(String name) implements LayerSpec {

  @Override
  public String kind() {
    return "add";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    Checks.several(this, inputs);
    Shape first = inputs.getFirst();
    for (Shape other : inputs) {
      if (!other.equals(first)) {
        throw new UsageException(
            "layer %s adds inputs of one shape, not %s and %s".formatted(name, first, other));
      }
    }
    return first;
  }
}
