package dev.tandem.train.config;

import java.util.Locale;

/**
 * A length of training, in steps or in epochs.
 *
 * @param unit what the amount counts
 */
public record Span(double amount, Unit unit) {

  /** What spans are counted in. */
  public enum Unit {
    STEPS,
    EPOCHS
  }

  /** No time at all. */
  public static final Span NONE = new Span(0, Unit.STEPS);

  public Span {
    Require.notNegative("a number of " + unit.name().toLowerCase(Locale.ROOT), amount);
  }

  public static Span steps(long steps) {
    return new Span(steps, Unit.STEPS);
  }

  public static Span epochs(double epochs) {
    return new Span(epochs, Unit.EPOCHS);
  }

  /** The steps that it takes where an epoch has so many. */
  public long inSteps(long stepsPerEpoch) {
    return switch (unit) {
      case STEPS -> Math.round(amount);
      case EPOCHS -> Math.round(amount * stepsPerEpoch);
    };
  }
}
