package dev.tandem.nn.spec;

import dev.tandem.core.Shape;

/**
 * A parameter or buffer before it exists in memory.
 *
 * @param name dotted: the layer's name and the parameter's role in it
 * @param start how its first values are chosen
 * @param fanIn number of inputs that one output sums up, which fixes the spread of first values
 *     that are drawn; 0 for others
 */
public record ParameterSpec(String name, Shape shape, Start start, long fanIn) {

  /** The first values of a parameter. */
  public enum Start {
    /** Drawn, with a spread after He et al. that keeps the signal's size from layer to layer. */
    DRAWN,
    ZEROS,
    ONES
  }

  /** A weight whose first values are drawn. */
  public static ParameterSpec drawn(String name, Shape shape, long fanIn) {
    return new ParameterSpec(name, shape, Start.DRAWN, fanIn);
  }

  /** A parameter that starts at zero. */
  public static ParameterSpec zeros(String name, Shape shape) {
    return new ParameterSpec(name, shape, Start.ZEROS, 0);
  }

  /** A parameter that starts at one. */
  public static ParameterSpec ones(String name, Shape shape) {
    return new ParameterSpec(name, shape, Start.ONES, 0);
  }
}
