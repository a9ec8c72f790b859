package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * What one layer of a network costs for one sample.
 *
 * <p>A multiplication and an addition are two operations. Layers with weights are counted exactly;
 * the others with the operations per value that their formula has, which is little beside that.
 *
 * @param name of the layer
 * @param kind as it is written in YAML
 * @param inputs the layers before it
 * @param output the shape of one sample after it
 * @param parameters that it learns
 * @param buffers values that it keeps besides, such as running statistics
 * @param activations values of its output that stay in memory until the backward pass; 0 if the
 *     output is a view of the input
 * @param forward operations of the forward pass
 * @param backward operations of the backward pass: the gradient by its weights, unless it is
 *     frozen, and by its input, unless nothing before it learns
 */
public record LayerCost(
    String name,
    String kind,
    List<String> inputs,
    Shape output,
    long parameters,
    long buffers,
    long activations,
    long forward,
    long backward) {

  public LayerCost {
    inputs = List.copyOf(inputs);
  }

  /**
   * The costs of all layers of a network in its order.
   *
   * @param frozen names of layers that do not learn
   */
  public static List<LayerCost> of(NetworkSpec network, Set<String> frozen) {
    List<LayerCost> costs = new ArrayList<>();
    Set<String> learning = new HashSet<>();
    for (int i = 0; i < network.nodes().size(); i++) {
      NetworkSpec.Node node = network.nodes().get(i);
      List<Shape> inputs = network.layerInputs().get(i);
      LayerSpec layer = node.layer();
      Shape output = layer.output(inputs);
      long parameters = elements(layer.parameters(inputs));
      boolean learns = parameters > 0 && !frozen.contains(layer.name());
      boolean learnsBefore = node.inputs().stream().anyMatch(learning::contains);
      if (learns || learnsBefore) {
        learning.add(layer.name());
      }
      long forward = operations(layer, inputs, output);
      long passes = weighted(layer) ? (learns ? 1 : 0) + (learnsBefore ? 1 : 0) : 1;
      costs.add(
          new LayerCost(
              layer.name(),
              layer.kind(),
              node.inputs(),
              output,
              parameters,
              elements(layer.buffers(inputs)),
              layer instanceof Flatten || layer instanceof Tokens ? 0 : output.elements(),
              forward,
              learns || learnsBefore ? passes * forward : 0));
    }
    return costs;
  }

  /** Operations of the forward pass of one layer for one sample. */
  public static long forward(LayerSpec layer, List<Shape> inputs) {
    return operations(layer, inputs, layer.output(inputs));
  }

  /** The sum of something over layers. */
  public static long sum(List<LayerCost> layers, ToLongFunction<LayerCost> of) {
    return layers.stream().mapToLong(of).sum();
  }

  private static boolean weighted(LayerSpec layer) {
    return layer instanceof Convolution
        || layer instanceof FullyConnected
        || layer instanceof SelfAttention;
  }

  private static long operations(LayerSpec layer, List<Shape> inputs, Shape output) {
    long values = output.elements();
    return switch (layer) {
      case Convolution convolution ->
          products(convolution, inputs, values / output.extents().getFirst());
      case FullyConnected dense -> products(dense, inputs, 1);
      case SelfAttention attention -> {
        long tokens = output.extents().getFirst();
        // The projections, then queries by keys, the softmax, and shares by values.
        yield products(attention, inputs, tokens)
            + 4 * tokens * tokens * attention.width(output.extents().getLast())
            + 3 * tokens * tokens * attention.heads();
      }
      case MaxPool pool -> values * area(pool.window(), output);
      case AveragePool pool -> values * area(pool.window(), output);
      case GlobalPool _, TokenMean _ -> inputs.getFirst().elements();
      case LocalResponseNorm norm -> values * (2L * norm.size() + 3);
      case BatchNorm _, GroupNorm _, LayerNorm _ -> 7 * values;
      case Add _ -> values * (inputs.size() - 1);
      case Activation _, Dropout _, Positions _ -> values;
      case Concatenation _, Exchange _, Flatten _, Tokens _ -> 0;
    };
  }

  /** Every weight is multiplied and added once at each place of the output; so is every bias. */
  private static long products(LayerSpec layer, List<Shape> inputs, long places) {
    long operations = 0;
    for (ParameterSpec parameter : layer.parameters(inputs)) {
      boolean bias = parameter.shape().extents().size() == 1;
      operations += parameter.shape().elements() * (bias ? 1 : 2) * places;
    }
    return operations;
  }

  private static long area(Window window, Shape output) {
    return window.over(output.extents().size() - 1).kernel().stream()
        .mapToLong(Number::longValue)
        .reduce(1, (a, b) -> a * b);
  }

  private static long elements(List<ParameterSpec> parameters) {
    return parameters.stream().mapToLong(parameter -> parameter.shape().elements()).sum();
  }
}
