package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import java.util.List;

/** What pooling layers have in common. */
final class Pools {

  private Pools() {}

  /** A window must always hold an element of the input, so padding is at most half of it. */
  static void check(String name, Window window) {
    Window full = window.over(3);
    for (int i = 0; i < Math.min(full.kernel().size(), full.padding().size()); i++) {
      if (2 * full.padding().get(i) > full.kernel().get(i)) {
        throw new UsageException(
            "layer %s: padding %s is more than half of the window %s"
                .formatted(name, window.padding(), window.kernel()));
      }
    }
  }

  static Shape output(LayerSpec layer, List<Shape> inputs, Window window, boolean ceil) {
    Shape input = Checks.single(layer, inputs);
    Checks.space(layer, input);
    return window.output(layer, input, Checks.channels(input), ceil);
  }
}
