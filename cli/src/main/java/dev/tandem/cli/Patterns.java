package dev.tandem.cli;

import dev.tandem.core.UsageException;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Regular expressions as values of options. */
final class Patterns {

  private Patterns() {}

  static Pattern of(String option, String expression) {
    try {
      return Pattern.compile(expression);
    } catch (PatternSyntaxException e) {
      throw new UsageException(
          "%s %s: no regular expression: %s".formatted(option, expression, e.getDescription()));
    }
  }
}
