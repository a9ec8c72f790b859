package dev.tandem.nn;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import java.util.List;

/**
 * What one layer is, without the engine: its name, what it makes of the shape of one sample, and
 * its parameters. Images have the shape channels, height, width.
 */
public sealed interface LayerSpec {

  /** Unique in a network; the layer's parameters are named after it. */
  String name();

  /**
   * The shape of one sample behind this layer.
   *
   * @throws UsageException if the layer cannot take such a sample
   */
  Shape output(Shape input);

  /** The layer's parameters in their fixed order. */
  default List<ParameterSpec> parameters(Shape input) {
    return List.of();
  }

  /** A square 2-D convolution with bias. */
  record Convolution(String name, int filters, int kernel, int stride, int padding)
      implements LayerSpec {

    public Convolution {
      requirePositive(name, "filters", filters);
      requirePositive(name, "kernel", kernel);
      requirePositive(name, "stride", stride);
      if (padding < 0) {
        throw new UsageException("layer " + name + ": padding is " + padding + ", not 0 or more");
      }
    }

    @Override
    public Shape output(Shape input) {
      return windows(this, input, filters, kernel, stride, padding);
    }

    @Override
    public List<ParameterSpec> parameters(Shape input) {
      long channels = input.extents().getFirst();
      return List.of(
          new ParameterSpec(
              name + ".weight",
              Shape.of(filters, channels, kernel, kernel),
              channels * kernel * kernel),
          new ParameterSpec(name + ".bias", Shape.of(filters), 0));
    }
  }

  /** The positive part of each element. */
  record Relu(String name) implements LayerSpec {

    @Override
    public Shape output(Shape input) {
      return input;
    }
  }

  /** The maximum over square windows; windows that do not fit wholly are left out. */
  record MaxPool(String name, int kernel, int stride) implements LayerSpec {

    public MaxPool {
      requirePositive(name, "kernel", kernel);
      requirePositive(name, "stride", stride);
    }

    @Override
    public Shape output(Shape input) {
      requireImage(this, input);
      return windows(this, input, input.extents().getFirst(), kernel, stride, 0);
    }
  }

  /** The mean of each channel. */
  record GlobalAveragePool(String name) implements LayerSpec {

    @Override
    public Shape output(Shape input) {
      requireImage(this, input);
      return Shape.of(input.extents().getFirst());
    }
  }

  /** All elements in a row: channel by channel, each line by line. */
  record Flatten(String name) implements LayerSpec {

    @Override
    public Shape output(Shape input) {
      return Shape.of(input.elements());
    }
  }

  /** Every output sums up every input, with bias. */
  record FullyConnected(String name, int outputs) implements LayerSpec {

    public FullyConnected {
      requirePositive(name, "outputs", outputs);
    }

    @Override
    public Shape output(Shape input) {
      if (input.extents().size() != 1) {
        throw new UsageException(
            "layer %s takes samples of one dimension, not %s: put a flatten layer before it"
                .formatted(name, input));
      }
      return Shape.of(outputs);
    }

    @Override
    public List<ParameterSpec> parameters(Shape input) {
      long inputs = input.elements();
      return List.of(
          new ParameterSpec(name + ".weight", Shape.of(outputs, inputs), inputs),
          new ParameterSpec(name + ".bias", Shape.of(outputs), 0));
    }
  }

  private static Shape windows(
      LayerSpec layer, Shape input, long channels, int kernel, int stride, int padding) {
    requireImage(layer, input);
    long height = input.extents().get(1) + 2L * padding - kernel;
    long width = input.extents().get(2) + 2L * padding - kernel;
    if (height < 0 || width < 0) {
      throw new UsageException(
          "layer %s: its window of %d by %d is larger than its input %s with padding %d"
              .formatted(layer.name(), kernel, kernel, input, padding));
    }
    return Shape.of(channels, height / stride + 1, width / stride + 1);
  }

  private static void requireImage(LayerSpec layer, Shape input) {
    if (input.extents().size() != 3) {
      throw new UsageException(
          "layer %s takes images (channels, height, width), not %s".formatted(layer.name(), input));
    }
  }

  private static void requirePositive(String layer, String what, int value) {
    if (value < 1) {
      throw new UsageException("layer %s: %s is %d, not at least 1".formatted(layer, what, value));
    }
  }
}
