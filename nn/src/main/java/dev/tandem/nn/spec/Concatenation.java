package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.List;

/** The channels of all inputs, one input's after the other's; all else must agree. */
public record Concatenation(String name) implements LayerSpec {

  @Override
  public String kind() {
    return "concatenation";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    Checks.several(this, inputs);
    Shape first = inputs.getFirst();
    long channels = 0;
    for (Shape other : inputs) {
      if (!space(other).equals(space(first))) {
        throw new UsageException(
            "layer %s joins inputs that differ in channels alone, not %s and %s"
                .formatted(name, first, other));
      }
      channels += Checks.channels(other);
    }
    List<Long> extents = new ArrayList<>(first.extents());
    extents.set(0, channels);
    return new Shape(extents);
  }

  private static List<Long> space(Shape shape) {
    return shape.extents().subList(1, shape.extents().size());
  }
}
