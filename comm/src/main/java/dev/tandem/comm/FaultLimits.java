package dev.tandem.comm;

import dev.tandem.core.UsageException;
import java.time.Duration;
import java.util.Map;

/**
 * How long to wait before giving up on others.
 *
 * @param silence after how long without a sign of life a rank counts as lost
 * @param joining how long it may take until all ranks have joined and are connected
 */
public record FaultLimits(Duration silence, Duration joining) {

  public static final FaultLimits DEFAULT =
      new FaultLimits(Duration.ofSeconds(5), Duration.ofSeconds(60));

  /** Seconds of silence, as an environment variable. */
  public static final String SILENCE = "TANDEM_SILENCE_SECONDS";

  public FaultLimits {
    if (silence.toMillis() < 100) {
      throw new UsageException(
          "a limit of %d ms for silence is too short: live ranks would count as lost"
              .formatted(silence.toMillis()));
    }
  }

  /** The defaults, with what these variables say instead. */
  public static FaultLimits of(Map<String, String> variables) {
    String seconds = variables.get(SILENCE);
    if (seconds == null) {
      return DEFAULT;
    }
    try {
      long millis = Math.round(Double.parseDouble(seconds) * 1000);
      return new FaultLimits(Duration.ofMillis(millis), DEFAULT.joining());
    } catch (NumberFormatException e) {
      throw new UsageException("%s must be a number, not '%s'".formatted(SILENCE, seconds));
    }
  }
}
