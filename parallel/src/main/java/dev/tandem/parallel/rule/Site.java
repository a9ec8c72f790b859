package dev.tandem.parallel.rule;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.parallel.mesh.Cut;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Mode;
import dev.tandem.parallel.mesh.Way;
import java.util.List;
import java.util.OptionalInt;

/**
 * A layer and an axis along which it is to work.
 *
 * @param inputs shapes of whole samples
 * @param output likewise
 * @param mode what the strategy asks for
 * @param ways how the inputs come; sums only if the layer is an addition
 */
public record Site(
    LayerSpec layer, List<Shape> inputs, Shape output, Mesh.Axis axis, Mode mode, List<Way> ways) {

  public Site {
    inputs = List.copyOf(inputs);
    ways = List.copyOf(ways);
  }

  Shape input() {
    return inputs.getFirst();
  }

  Way way() {
    return ways.getFirst();
  }

  int size() {
    return axis.size();
  }

  /** The same in another mode. */
  public Site in(Mode other) {
    return new Site(layer, inputs, output, axis, other, ways);
  }

  /** The dimension of features: channels of images, the last one of sequences. */
  static int features(Shape shape) {
    return shape.extents().size() == 2 ? 1 : 0;
  }

  /** The way in which a layer without weights of its own takes an input. */
  Way wanted() {
    return switch (mode) {
      case WHOLE -> Way.WHOLE;
      case SAMPLES -> Way.SAMPLES;
      case FOLLOW, FILTER, CHANNEL, ALTERNATE -> way();
      case SPACE -> {
        OptionalInt dimension = Space.dimension(axis.name(), input());
        if (dimension.isEmpty()) {
          yield way();
        }
        int number = dimension.getAsInt();
        if (way() instanceof Way.Split split && split.dimension() == number) {
          yield way();
        }
        Cut cut = Cut.even(input().extents().get(number), size());
        yield cut.reachesAll() ? new Way.Split(number, cut) : Way.WHOLE;
      }
    };
  }

  boolean isFeatures(Way.Split split) {
    return split.dimension() == features(input());
  }

  /** What a way is, as the mode of a layer that computes on it locally. */
  Mode modeOf(Way way) {
    return switch (way) {
      case Way.Whole _ -> Mode.WHOLE;
      case Way.Samples _ -> Mode.SAMPLES;
      case Way.Split split -> isFeatures(split) ? Mode.FOLLOW : Mode.SPACE;
      case Way.Sum _ -> throw new IllegalStateException("a sum at " + layer.name());
    };
  }

  /** A message that names the layer. */
  String message(String text) {
    return "layer " + layer.name() + ": " + text;
  }
}
