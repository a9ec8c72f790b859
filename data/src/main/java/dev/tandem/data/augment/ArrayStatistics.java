package dev.tandem.data.augment;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.ArrayRecord;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import java.util.ArrayList;
import java.util.List;

/**
 * Mean and deviation of arrays, by channel, and of the values that are their targets.
 *
 * @param inputs one mean for each channel, which for a row is a column
 * @param targets one mean for each value of a target; those of nothing if targets are labels
 */
public record ArrayStatistics(Normalisation inputs, Normalisation targets) {

  private static final int GROUP = 64;

  /**
   * Looks at the arrays of a source. Bad records do not count.
   *
   * @param most look at no more records than this, evenly spread over the source
   */
  public static ArrayStatistics of(RecordSource source, long most) {
    long records = Math.min(most, source.size());
    List<Sums> inputs = new ArrayList<>();
    List<Sums> targets = new ArrayList<>();
    for (long first = 0; first < records; first += GROUP) {
      long[] ordinals = new long[(int) Math.min(GROUP, records - first)];
      for (int i = 0; i < ordinals.length; i++) {
        ordinals[i] = (first + i) * source.size() / records;
      }
      try (RecordBlock block = source.fetch(ordinals)) {
        for (int i = 0; i < ordinals.length; i++) {
          add(ArrayRecord.decode(block.record(i).value()), inputs, targets);
        }
      }
    }
    if (inputs.isEmpty()) {
      throw new WorkFailedException("a source without records has no mean");
    }
    return new ArrayStatistics(
        normalisation(inputs), targets.isEmpty() ? Normalisation.UNIT : normalisation(targets));
  }

  private static void add(ArrayRecord array, List<Sums> inputs, List<Sums> targets) {
    int channels = array.shape().getFirst();
    if (inputs.isEmpty()) {
      for (int i = 0; i < channels; i++) {
        inputs.add(new Sums());
      }
      for (int i = 0; i < array.values().size(); i++) {
        targets.add(new Sums());
      }
    }
    if (channels != inputs.size() || array.values().size() != targets.size()) {
      throw new WorkFailedException(
          "arrays of %d and of %d channels, with %d and %d values as targets, have no common mean"
              .formatted(inputs.size(), channels, targets.size(), array.values().size()));
    }
    int perChannel = array.count() / channels;
    for (int i = 0; i < array.count(); i++) {
      inputs.get(i / perChannel).add(array.element(i));
    }
    for (int i = 0; i < targets.size(); i++) {
      targets.get(i).add(array.values().get(i));
    }
  }

  private static Normalisation normalisation(List<Sums> sums) {
    return new Normalisation(
        sums.stream().map(Sums::mean).toList(), sums.stream().map(Sums::deviation).toList());
  }

  /** By Welford: exact enough whatever the mean is. */
  private static final class Sums {
    private long count;
    private double mean;
    private double squares;

    void add(double value) {
      if (Double.isFinite(value)) {
        count++;
        double distance = value - mean;
        mean += distance / (double) count;
        squares += distance * (value - mean);
      }
    }

    double mean() {
      return mean;
    }

    /** Numbers that are all the same become zero whatever they are divided by. */
    double deviation() {
      double deviation = count == 0 ? 0 : Math.sqrt(squares / (double) count);
      return deviation > 0 ? deviation : 1;
    }
  }
}
