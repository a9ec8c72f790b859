package dev.tandem.tune.space;

import java.util.OptionalLong;

/**
 * The values that a parameter may take. Each is a point of a range of <em>internal</em> numbers in
 * which samplers search: a logarithm where the scale is logarithmic, the index of a choice; every
 * number between {@link #low} and {@link #high} stands for a value, and uniform numbers for values
 * that are equally likely.
 */
public sealed interface Domain permits RealDomain, WholeDomain, ChoiceDomain {

  /** The lower end of the internal numbers. */
  double low();

  /** Their upper end. */
  double high();

  /** The value that an internal number stands for: rounded, and the nearest for one outside. */
  Object value(double internal);

  /** The internal number of a value; NaN if it is none of the domain. */
  double internal(Object value);

  /** How many values there are, if they can be counted. */
  OptionalLong count();

  /** Whether this is one of the values. */
  default boolean contains(Object value) {
    return !Double.isNaN(internal(value));
  }

  /** Whether there is nothing to choose. */
  default boolean single() {
    OptionalLong count = count();
    return count.isPresent() && count.getAsLong() == 1;
  }
}
