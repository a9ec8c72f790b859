package dev.tandem.nn.weights;

import java.util.List;

/**
 * What an exported graph does with pixels of 0 to 255 before the first layer: {@code (pixel / 255 -
 * mean) / deviation}.
 *
 * @param means one per channel
 * @param deviations one per channel
 */
public record PixelNormalisation(List<Double> means, List<Double> deviations) {

  /** The key of the metadata that says that a graph normalises; its value is the formula. */
  public static final String KEY = "tandem.normalises";

  public PixelNormalisation {
    means = List.copyOf(means);
    deviations = List.copyOf(deviations);
    if (means.size() != deviations.size()) {
      throw new IllegalArgumentException(
          "%d means and %d deviations".formatted(means.size(), deviations.size()));
    }
  }
}
