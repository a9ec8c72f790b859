package dev.tandem.tune.config;

import dev.tandem.core.UsageException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times and sizes with their units, as people write them: {@code 30 s}, {@code 2 GiB}. */
final class Amount {

  private static final Pattern TEXT =
      Pattern.compile("\\s*([0-9]+(?:\\.[0-9]+)?)\\s*([A-Za-z]*)\\s*");
  private static final Map<String, Double> SECONDS =
      Map.of("ms", 1e-3, "s", 1.0, "m", 60.0, "min", 60.0, "h", 3600.0, "d", 86400.0);
  private static final Map<String, Double> BYTES =
      Map.of(
          "b", 1.0, "kib", 0x1p10, "mib", 0x1p20, "gib", 0x1p30, "tib", 0x1p40, "kb", 1e3, "mb",
          1e6, "gb", 1e9);

  private Amount() {}

  static Duration time(String key, String text) {
    return Duration.ofNanos(
        (long) (1e9 * number(key, text, SECONDS, "a time with its unit, such as 30s, 10m or 2h")));
  }

  static long bytes(String key, String text) {
    return (long) number(key, text, BYTES, "a size with its unit, such as 512 MiB or 2 GiB");
  }

  private static double number(
      String key, String text, Map<String, Double> units, String expected) {
    Matcher matcher = TEXT.matcher(text);
    if (matcher.matches()) {
      double number = Double.parseDouble(matcher.group(1));
      Double unit = units.get(matcher.group(2).toLowerCase(Locale.ROOT));
      if (unit != null) {
        return number * unit;
      }
      if (number == 0 && matcher.group(2).isEmpty()) {
        return 0;
      }
    }
    throw new UsageException("%s is '%s', expected %s".formatted(key, text, expected));
  }
}
