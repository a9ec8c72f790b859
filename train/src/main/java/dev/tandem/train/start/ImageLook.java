package dev.tandem.train.start;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.Datum;
import dev.tandem.data.RecordSource;
import dev.tandem.data.image.ImageFiles;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What some images of a data set have in common.
 *
 * @param sizes of the images looked at, the smallest shorter side first
 * @param grey whether all are grey
 * @param mixed whether some are grey and some are not
 * @param bad records that are no images, one line each
 */
record ImageLook(List<Size> sizes, boolean grey, boolean mixed, List<String> bad) {

  private static final int MOST = 200;

  /** Height and width. */
  record Size(int height, int width) {
    int shorter() {
      return Math.min(height, width);
    }

    @Override
    public String toString() {
      return height + "x" + width;
    }
  }

  ImageLook {
    sizes = List.copyOf(sizes);
    bad = List.copyOf(bad);
  }

  /** Looks at no more than 200 records, evenly spread. */
  static ImageLook at(RecordSource source) {
    List<Size> sizes = new ArrayList<>();
    List<String> bad = new ArrayList<>();
    int colour = 0;
    long count = Math.min(MOST, source.size());
    for (long i = 0; i < count; i++) {
      var record = source.record(i * source.size() / count);
      try {
        Datum.Fields fields = Datum.fields(record.value());
        int channels = fields.channels();
        if (fields.encoded()) {
          byte[] file = fields.data().toArray(ValueLayout.JAVA_BYTE);
          ImageFiles.Header header = ImageFiles.header("in it", file);
          sizes.add(new Size(header.height(), header.width()));
          channels = header.grey() ? 1 : 3;
        } else {
          sizes.add(new Size(fields.height(), fields.width()));
        }
        colour += channels == 1 ? 0 : 1;
      } catch (WorkFailedException e) {
        String key =
            new String(record.key().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
        bad.add(key + ": " + e.getMessage());
      }
    }
    if (sizes.isEmpty()) {
      throw new WorkFailedException(
          "none of %,d records looked at is an image: %s".formatted(count, bad.getFirst()));
    }
    sizes.sort(Comparator.comparingInt(Size::shorter).thenComparingInt(Size::height));
    return new ImageLook(sizes, colour == 0, colour > 0 && colour < sizes.size(), bad);
  }

  /** Whether all have one size. */
  boolean uniform() {
    return sizes.stream().distinct().count() == 1;
  }

  Size median() {
    return sizes.get(sizes.size() / 2);
  }

  /** Whether the longer side is at most twice the shorter in nearly all of them. */
  boolean nearlySquare() {
    long square =
        sizes.stream()
            .filter(size -> Math.max(size.height, size.width) <= 2 * size.shorter())
            .count();
    return square * 10 >= sizes.size() * 9L;
  }

  /** In words. */
  String line() {
    String colours = mixed ? "grey and colour" : grey ? "grey" : "colour";
    return uniform()
        ? "%s, %s (height x width)".formatted(colours, median())
        : "%s, of mixed size, from %s to %s (height x width)"
            .formatted(colours, sizes.getFirst(), sizes.getLast());
  }
}
