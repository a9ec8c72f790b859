package dev.tandem.data.augment;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import dev.tandem.data.decode.SampleDecoder;
import dev.tandem.data.image.Image;
import java.util.ArrayList;
import java.util.List;

/** Mean and deviation of the pixels of every channel. Exact, so they do not depend on the order. */
public final class PixelStatistics {

  private static final int GROUP = 256;

  private final List<long[]> counts = new ArrayList<>();
  private byte[] plane = new byte[0];

  /**
   * What makes the pixels of a source zero mean and unit variance. Bad records do not count.
   *
   * @param most look at no more records than this, evenly spread over the source
   */
  public static Normalisation of(
      RecordSource source, SampleDecoder decoder, long most, Progress progress) {
    PixelStatistics statistics = new PixelStatistics();
    long records = Math.min(most, source.size());
    if (records < 1) {
      throw new WorkFailedException("a source without records has no mean");
    }
    try (Progress.Task task = progress.start("Looking at pixels", records, "images")) {
      for (long first = 0; first < records; first += GROUP) {
        int count = (int) Math.min(GROUP, records - first);
        long[] ordinals = new long[count];
        for (int i = 0; i < count; i++) {
          // Double keeps 53 bits: exact for every source that fits on a disk.
          ordinals[i] = (long) ((double) (first + i) / records * source.size());
        }
        try (RecordBlock block = source.fetch(ordinals)) {
          for (int i = 0; i < count; i++) {
            statistics.add(decoder, block.record(i));
          }
        }
        task.advanceTo(first + count);
      }
    }
    return statistics.normalisation();
  }

  private void add(SampleDecoder decoder, DataRecord record) {
    Image image;
    try {
      image = decoder.decode(record).image();
    } catch (WorkFailedException e) {
      // A loader of the records will name it; here it only does not count.
      return;
    }
    add(image);
  }

  /** Counts the pixels of an image. */
  void add(Image image) {
    if (counts.isEmpty()) {
      for (int channel = 0; channel < image.channels(); channel++) {
        counts.add(new long[256]);
      }
    }
    if (counts.size() != image.channels()) {
      throw new WorkFailedException(
          "images of %d and of %d channels have no common mean; --grey makes them alike"
              .formatted(counts.size(), image.channels()));
    }
    int pixels = image.height() * image.width();
    if (plane.length < pixels) {
      plane = new byte[pixels];
    }
    for (int channel = 0; channel < image.channels(); channel++) {
      long[] count = counts.get(channel);
      image.copyPlane(channel, plane, 0);
      for (int i = 0; i < pixels; i++) {
        count[plane[i] & 0xFF]++;
      }
    }
  }

  private Normalisation normalisation() {
    if (counts.isEmpty()) {
      throw new WorkFailedException("none of the records looked at is an image");
    }
    List<Double> means = new ArrayList<>();
    List<Double> deviations = new ArrayList<>();
    for (long[] count : counts) {
      double pixels = 0;
      double sum = 0;
      for (int value = 0; value < 256; value++) {
        pixels += count[value];
        sum += count[value] * (value / 255.0);
      }
      double mean = sum / pixels;
      double squares = 0;
      for (int value = 0; value < 256; value++) {
        double distance = value / 255.0 - mean;
        squares += count[value] * distance * distance;
      }
      means.add(mean);
      // A channel of one colour has no deviation; it becomes zero whatever it is divided by.
      deviations.add(squares == 0 ? 1.0 : Math.sqrt(squares / pixels));
    }
    return new Normalisation(means, deviations);
  }
}
