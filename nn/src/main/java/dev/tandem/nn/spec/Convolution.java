package dev.tandem.nn.spec;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import java.util.ArrayList;
import java.util.List;

/**
 * A convolution over an image or volume.
 *
 * @param filters channels of the output
 * @param groups the channels are cut into N groups, and each filter sees one of them
 * @param bias whether each filter adds a number of its own; without one before a normalisation
 */
public record Convolution(
    String name,
    int filters,
    @JsonUnwrapped Window window,
    @Default("1") int groups,
    @Default("true") boolean bias)
    implements LayerSpec {

  public Convolution {
    Checks.atLeast(name, "filters", filters, 1);
    Checks.atLeast(name, "groups", groups, 1);
    window.check(name);
  }

  /** A convolution with bias. */
  public Convolution(String name, int filters, Window window) {
    this(name, filters, window, 1, true);
  }

  /** A convolution with bias whose window is the same in all dimensions. */
  public Convolution(String name, int filters, int kernel, int stride, int padding) {
    this(name, filters, Window.of(kernel).withStride(stride).withPadding(padding));
  }

  /** The same without bias. */
  public Convolution withoutBias() {
    return new Convolution(name, filters, window, groups, false);
  }

  @Override
  public String kind() {
    return "convolution";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    Shape input = Checks.single(this, inputs);
    Shape output = window.output(this, input, filters, false);
    if (Checks.channels(input) % groups != 0 || filters % groups != 0) {
      throw new UsageException(
          "layer %s: %d groups do not divide both its input %s and its output %s"
              .formatted(name, groups, input, output));
    }
    return output;
  }

  @Override
  public List<ParameterSpec> parameters(List<Shape> inputs) {
    Shape input = inputs.getFirst();
    int dimensions = input.extents().size() - 1;
    List<Long> extents = new ArrayList<>(List.of((long) filters, Checks.channels(input) / groups));
    window.over(dimensions).kernel().forEach(extent -> extents.add((long) extent));
    long fanIn = Checks.channels(input) / groups * window.elements(dimensions);
    ParameterSpec weight = ParameterSpec.drawn(name + ".weight", new Shape(extents), fanIn);
    return bias
        ? List.of(weight, ParameterSpec.zeros(name + ".bias", Shape.of(filters)))
        : List.of(weight);
  }
}
