package dev.tandem.data.augment;

import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.List;

/**
 * How bytes become floats of zero mean and unit variance: {@code (byte / 255 - mean) / deviation},
 * with a mean and a deviation for every channel or one for all.
 */
public record Normalisation(List<Double> means, List<Double> deviations) {

  /** Bytes become 0 to 1. */
  public static final Normalisation UNIT = all(0, 1);

  public Normalisation {
    means = List.copyOf(means);
    deviations = List.copyOf(deviations);
    if (means.isEmpty() || means.size() != deviations.size()) {
      throw new UsageException(
          "normalisation by %d means and %d deviations: one of each per channel, or one of each"
              .formatted(means.size(), deviations.size()));
    }
    for (int channel = 0; channel < means.size(); channel++) {
      if (!Double.isFinite(means.get(channel)) || !(deviations.get(channel) > 0)) {
        throw new UsageException(
            "normalisation by mean %s and deviation %s: a deviation is positive"
                .formatted(means.get(channel), deviations.get(channel)));
      }
    }
  }

  /** The same for all channels. */
  public static Normalisation all(double mean, double deviation) {
    return new Normalisation(List.of(mean), List.of(deviation));
  }

  /** The float of every byte, by channel. */
  public List<float[]> tables(int channels) {
    if (means.size() != 1 && means.size() != channels) {
      throw new UsageException(
          "normalisation for %d channels, but images have %d".formatted(means.size(), channels));
    }
    List<float[]> tables = new ArrayList<>();
    for (int channel = 0; channel < channels; channel++) {
      int entry = means.size() == 1 ? 0 : channel;
      float[] table = new float[256];
      for (int value = 0; value < table.length; value++) {
        table[value] = (float) ((value / 255.0 - means.get(entry)) / deviations.get(entry));
      }
      tables.add(table);
    }
    return tables;
  }
}
