package dev.tandem.tune.space;

import dev.tandem.core.UsageException;
import java.util.OptionalLong;

/**
 * Real numbers from the least to the greatest, both included.
 *
 * @param step distance of neighbours from the least on; 0 for all numbers
 * @param log whether the logarithm is searched uniformly
 */
public record RealDomain(double least, double greatest, double step, boolean log)
    implements Domain {

  /** What rounding of multiples of a step may add to a range. */
  private static final double ROUNDING = 1e-9;

  public RealDomain {
    if (!(least <= greatest) || Double.isInfinite(least) || Double.isInfinite(greatest)) {
      throw new UsageException(
          "float is [%s, %s], expected two numbers, the smaller one first"
              .formatted(least, greatest));
    }
    if (log && !(least > 0)) {
      throw new UsageException("log needs numbers above 0, and float begins at " + least);
    }
    if (!(step >= 0) || Double.isInfinite(step)) {
      throw new UsageException("step is %s, expected more than 0".formatted(step));
    }
    if (log && step > 0) {
      throw new UsageException("log and step exclude each other");
    }
    if (step > 0) {
      greatest = least + step * Math.floor((greatest - least) / step + ROUNDING);
    }
  }

  @Override
  public double low() {
    return log ? Math.log(least) : least - step / 2;
  }

  @Override
  public double high() {
    return log ? Math.log(greatest) : greatest + step / 2;
  }

  @Override
  public Double value(double internal) {
    if (log && internal <= low()) {
      return least; // The exponential of the logarithm may be another number.
    }
    if (log && internal >= high()) {
      return greatest;
    }
    double real = log ? Math.exp(internal) : internal;
    if (step > 0) {
      real = least + step * Math.floor((real - least) / step + 0.5);
    }
    return Math.min(greatest, Math.max(least, real));
  }

  @Override
  public double internal(Object value) {
    if (!(value instanceof Number number)) {
      return Double.NaN;
    }
    double real = number.doubleValue();
    if (!(real >= least && real <= greatest)) {
      return Double.NaN;
    }
    if (step > 0 && Math.abs(value(real) - real) > ROUNDING * step) {
      return Double.NaN;
    }
    return log ? Math.log(real) : real;
  }

  @Override
  public OptionalLong count() {
    if (least == greatest) {
      return OptionalLong.of(1);
    }
    return step == 0
        ? OptionalLong.empty()
        : OptionalLong.of(Math.round((greatest - least) / step) + 1);
  }
}
