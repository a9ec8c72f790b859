package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import java.util.List;

/** What layers ask of their numbers and inputs; every message names the layer. */
final class Checks {

  private Checks() {}

  static void atLeast(String layer, String what, long value, long least) {
    if (value < least) {
      throw new UsageException(
          "layer %s: %s is %d, expected %d or more".formatted(layer, what, value, least));
    }
  }

  static void positive(String layer, String what, double value) {
    if (!(value > 0) || Double.isInfinite(value)) {
      throw new UsageException(
          "layer %s: %s is %s, expected more than 0".formatted(layer, what, value));
    }
  }

  /** The input of a layer that takes one. */
  static Shape single(LayerSpec layer, List<Shape> inputs) {
    if (inputs.size() != 1) {
      throw new UsageException(
          "layer %s takes one input, not %d: %s".formatted(layer.name(), inputs.size(), inputs));
    }
    return inputs.getFirst();
  }

  /** The inputs of a layer that joins several. */
  static void several(LayerSpec layer, List<Shape> inputs) {
    if (inputs.size() < 2) {
      throw new UsageException(
          "layer %s joins two inputs or more, not %s: name them as its inputs"
              .formatted(layer.name(), inputs));
    }
  }

  static void space(LayerSpec layer, Shape input) {
    int size = input.extents().size();
    if (size != 3 && size != 4) {
      throw new UsageException(
          "layer %s takes images (channels, height, width) or volumes (channels, depth, height,"
                  .formatted(layer.name())
              + " width), not "
              + input);
    }
  }

  static void sequence(LayerSpec layer, Shape input) {
    if (input.extents().size() != 2) {
      throw new UsageException(
          "layer %s takes sequences (tokens, features), not %s".formatted(layer.name(), input));
    }
  }

  /** Channels of an image or volume. */
  static long channels(Shape input) {
    return input.extents().getFirst();
  }

  /** Features of a row or sequence. */
  static long features(Shape input) {
    return input.extents().getLast();
  }
}
