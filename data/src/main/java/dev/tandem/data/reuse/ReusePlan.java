package dev.tandem.data.reuse;

import dev.tandem.comm.topology.Level;
import dev.tandem.core.UsageException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * How samples are used again before others are read.
 *
 * @param keptSteps steps of a round, whose samples are kept in memory
 * @param passes how batches are recomposed in each pass after the first; none means no reuse
 */
public record ReusePlan(int keptSteps, List<Level> passes) {

  public ReusePlan {
    passes = List.copyOf(passes);
    if (keptSteps < 1) {
      throw new UsageException("reuse of %d steps: at least 1".formatted(keptSteps));
    }
  }

  /** How often every sample is served in a round. */
  public int uses() {
    return 1 + passes.size();
  }

  /** Reads {@code STEPS:LEVEL,LEVEL,...}, as it prints itself. */
  public static ReusePlan parse(String text) {
    String[] parts = text.split(":", 2);
    try {
      List<Level> passes =
          Arrays.stream(parts[1].split(",", -1))
              .map(level -> Level.valueOf(level.strip().toUpperCase(Locale.ROOT)))
              .toList();
      return new ReusePlan(Integer.parseInt(parts[0].strip()), passes);
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      throw new UsageException(
          "reuse '"
              + text
              + "': expected STEPS:LEVEL,..., as in 8:process,node; levels are process, node, switch, rack, machine");
    }
  }

  @Override
  public String toString() {
    return keptSteps
        + ":"
        + passes.stream()
            .map(level -> level.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(","));
  }
}
