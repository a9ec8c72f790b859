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
 * @param sawTooth whether the batch is doubled from pass to pass, since the gradients of samples
 *     that were seen before tell less; it grows up to all samples of the round, and the next round,
 *     which is new, begins with the configured batch again
 */
public record ReusePlan(int keptSteps, List<Level> passes, boolean sawTooth) {

  private static final int MOST_PASSES = 30;

  public ReusePlan {
    passes = List.copyOf(passes);
    if (keptSteps < 1) {
      throw new UsageException(
          "data reuse keeps the samples of at least 1 step, not of " + keptSteps);
    }
    if (passes.size() > MOST_PASSES) {
      throw new UsageException(
          "data reuse has at most %d passes, not %d".formatted(MOST_PASSES, passes.size()));
    }
  }

  /** A plan in which the batch stays. */
  public ReusePlan(int keptSteps, List<Level> passes) {
    this(keptSteps, passes, false);
  }

  /** How many batches of the first pass make one of this pass. */
  int growth(int pass) {
    return sawTooth ? Math.min(1 << pass, keptSteps) : 1;
  }

  /** How often every sample is served in a round. */
  public int uses() {
    return 1 + passes.size();
  }

  /** Reads {@code STEPS:LEVEL,LEVEL,...}. */
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
              + "': expected STEPS:LEVEL,..., as in 8:process,node; levels are process, node,"
              + " switch, rack, machine");
    }
  }

  @Override
  public String toString() {
    return keptSteps
        + ":"
        + passes.stream()
            .map(level -> level.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(","))
        + (sawTooth ? " with a saw-tooth batch" : "");
  }
}
