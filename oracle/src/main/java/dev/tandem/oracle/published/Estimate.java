package dev.tandem.oracle.published;

import java.util.Map;

/**
 * The projected time of an iteration.
 *
 * @param low the band's ends: what a calibration had not seen lay between such ends in nine of ten
 *     cases
 * @param parts seconds by what they go into
 */
public record Estimate(double seconds, double low, double high, Map<Part, Double> parts) {

  public Estimate {
    parts = Map.copyOf(parts);
  }

  /** Seconds of computation. */
  public double computation() {
    return sum(false);
  }

  /** Seconds of communication. */
  public double communication() {
    return sum(true);
  }

  private double sum(boolean communication) {
    return parts.entrySet().stream()
        .filter(part -> part.getKey().communication() == communication)
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }
}
