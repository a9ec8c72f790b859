package dev.tandem.nn;

import dev.tandem.core.Shape;

/**
 * A parameter before it exists in memory.
 *
 * @param name dotted: the layer's name and the parameter's role in it
 * @param fanIn number of inputs that one output sums up, which fixes the spread of the first
 *     values; 0 for parameters that start at zero
 */
public record ParameterSpec(String name, Shape shape, long fanIn) {}
