package dev.tandem.nn;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a network is, without the engine: a sample of this shape goes through these layers, one
 * after the other, and comes out as one score for each class. All shapes are checked here.
 */
public record NetworkSpec(Shape input, List<LayerSpec> layers) {

  public NetworkSpec {
    layers = List.copyOf(layers);
    Set<String> names = new HashSet<>();
    Shape shape = input;
    for (LayerSpec layer : layers) {
      if (!names.add(layer.name())) {
        throw new UsageException("two layers are named " + layer.name());
      }
      shape = layer.output(shape);
    }
    if (layers.isEmpty() || shape.extents().size() != 1) {
      throw new UsageException(
          "a network ends with one score for each class, this one with " + shape);
    }
  }

  public static NetworkSpec of(Shape input, LayerSpec... layers) {
    return new NetworkSpec(input, List.of(layers));
  }

  /** The shape of a sample before each layer, in the layers' order. */
  public List<Shape> layerInputs() {
    List<Shape> shapes = new ArrayList<>();
    Shape shape = input;
    for (LayerSpec layer : layers) {
      shapes.add(shape);
      shape = layer.output(shape);
    }
    return List.copyOf(shapes);
  }

  /** Number of classes that the network tells apart. */
  public int classes() {
    return Math.toIntExact(layers.getLast().output(layerInputs().getLast()).elements());
  }

  /** All parameters in the order in which a network keeps them: by layer. */
  public List<ParameterSpec> parameters() {
    List<Shape> inputs = layerInputs();
    List<ParameterSpec> parameters = new ArrayList<>();
    for (int i = 0; i < layers.size(); i++) {
      parameters.addAll(layers.get(i).parameters(inputs.get(i)));
    }
    return List.copyOf(parameters);
  }

  /** Number of elements of all parameters. */
  public long parameterCount() {
    return parameters().stream().mapToLong(parameter -> parameter.shape().elements()).sum();
  }
}
