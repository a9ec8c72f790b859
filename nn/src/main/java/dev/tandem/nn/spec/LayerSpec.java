package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import java.util.List;

/**
 * What one layer is, without the engine: its name, what it makes of the shapes of one sample, and
 * its parameters. Images have the shape channels, height, width; volumes channels, depth, height,
 * width; sequences tokens, features.
 */
public sealed interface LayerSpec
    permits Activation,
        Add,
        AveragePool,
        BatchNorm,
        Concatenation,
        Convolution,
        Dropout,
        Exchange,
        Flatten,
        FullyConnected,
        GlobalPool,
        GroupNorm,
        LayerNorm,
        LocalResponseNorm,
        MaxPool,
        Positions,
        SelfAttention,
        TokenMean,
        Tokens {

  /** Unique in a network; the layer's parameters are named after it. */
  String name();

  /** The word for this kind of layer in YAML. */
  String kind();

  /**
   * The shape of one sample after this layer.
   *
   * @throws UsageException if the layer cannot take such samples; the message names the layer
   */
  Shape output(List<Shape> inputs);

  /** The layer's parameters in their fixed order. */
  default List<ParameterSpec> parameters(List<Shape> inputs) {
    return List.of();
  }

  /** What the layer keeps between steps besides its parameters, such as running statistics. */
  default List<ParameterSpec> buffers(List<Shape> inputs) {
    return List.of();
  }
}
