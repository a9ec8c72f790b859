package dev.tandem.tune.space;

import dev.tandem.core.UsageException;
import java.util.OptionalLong;

/**
 * Whole numbers from the least to the greatest, both included.
 *
 * @param step distance of neighbours from the least on
 * @param log whether the logarithm is searched uniformly; then the step is 1
 */
public record WholeDomain(long least, long greatest, long step, boolean log) implements Domain {

  /** Beyond this, doubles leave numbers out. */
  private static final long MOST = 1L << 52;

  public WholeDomain {
    if (least > greatest || least < -MOST || greatest > MOST) {
      throw new UsageException(
          "int is [%d, %d], expected two whole numbers, the smaller one first"
              .formatted(least, greatest));
    }
    if (step < 1) {
      throw new UsageException("step is %d, expected 1 or more".formatted(step));
    }
    if (log && least < 1) {
      throw new UsageException("log needs numbers above 0, and int begins at " + least);
    }
    if (log && step != 1) {
      throw new UsageException("log and step exclude each other");
    }
    greatest -= (greatest - least) % step;
  }

  @Override
  public double low() {
    return log ? Math.log(least - 0.5) : least - step / 2.0;
  }

  @Override
  public double high() {
    return log ? Math.log(greatest + 0.5) : greatest + step / 2.0;
  }

  @Override
  public Long value(double internal) {
    double real = log ? Math.exp(internal) : internal;
    double steps = Math.floor((real - least) / step + 0.5);
    long most = (greatest - least) / step;
    return least + step * (long) Math.min((double) most, Math.max(0, steps));
  }

  @Override
  public double internal(Object value) {
    if (!(value instanceof Number number)) {
      return Double.NaN;
    }
    double real = number.doubleValue();
    if (real != Math.rint(real) || real < least || real > greatest) {
      return Double.NaN;
    }
    long whole = (long) real;
    if ((whole - least) % step != 0) {
      return Double.NaN;
    }
    return log ? Math.log((double) whole) : (double) whole;
  }

  @Override
  public OptionalLong count() {
    return OptionalLong.of((greatest - least) / step + 1);
  }
}
