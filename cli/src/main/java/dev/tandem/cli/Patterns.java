package dev.tandem.cli;

import dev.tandem.core.UsageException;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Regular expressions as values of options. */
public final class Patterns {

  private Patterns() {}

  /** The expression that an option was given; what is none is a usage error. */
  public static Pattern of(String option, String expression) {
    try {
      return Pattern.compile(expression);
    } catch (PatternSyntaxException e) {
      throw new UsageException(
          "%s %s: not a regular expression: %s".formatted(option, expression, e.getDescription()));
    }
  }
}
