package dev.tandem.train.start;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.Datum;
import dev.tandem.data.RecordSource;
import dev.tandem.data.format.ImageHalves;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.source.ClassNames;
import dev.tandem.data.source.Sources;
import dev.tandem.nn.models.Models;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Images with classes, in whatever format. */
public final class ImageStart implements StartKind {

  /** Labels are looked for in this many records at most. */
  private static final long LOOKED_AT = 200_000;

  private static final double SPLIT = 0.1;

  /** Fewer records than these get small batches. */
  private static final int FEW = 4000;

  /** With fewer steps a network has learned little. */
  private static final long STEPS = 300;

  private static final long MOST_EPOCHS = 30;
  private static final int SMALLEST = 32;
  private static final int LARGEST = 128;

  /** Networks whose input is the size of the images. */
  private static final Set<String> ANY_SIZE = Set.of("small-cnn", "transformer");

  @Override
  public boolean takes(Path data) {
    return true;
  }

  @Override
  public StartConfig choose(Path data, String model) {
    return choose(data, data, model, List.of());
  }

  /**
   * Chooses for a data set in two places.
   *
   * @param names of the classes; may be empty
   */
  public static StartConfig choose(Path train, Path test, String model, List<String> names) {
    SourceFormat format = SourceFormat.of(train);
    List<String> known = names.isEmpty() ? ClassNames.of(train) : names;
    try (RecordSource source = Sources.open(train, Split.TRAIN)) {
      if (source.size() == 0) {
        throw new WorkFailedException(train + " holds no records");
      }
      int classes = known.isEmpty() ? classes(source) : known.size();
      if (classes < 2) {
        throw new UsageException(
            "%s has one class only%s: a network needs at least two to tell apart"
                .formatted(train, known.isEmpty() ? "" : ", '" + known.getFirst() + "'"));
      }
      ImageLook look = ImageLook.at(source);
      List<String> found = new ArrayList<>();
      found.add(
          "found %,d images of %,d classes in %s: %s"
              .formatted(source.size(), classes, train, look.line()));
      List<String> data = new ArrayList<>();
      split(train, test, format, source.size(), data, found);
      Choice choice = Choice.of(model, look, classes);
      found.add("network: " + choice.line(look));
      data.addAll(choice.data(look));
      if (!look.bad().isEmpty()) {
        found.add(
            "%,d of the images looked at cannot be read, such as %s; data.skip-bad-records leaves"
                    .formatted(look.bad().size(), look.bad().getFirst())
                + " them out");
        data.add("skip-bad-records: " + source.size() + "      # images that cannot be read");
      }
      int batch = source.size() < FEW ? 16 : 64;
      long steps = Math.ceilDiv(source.size(), batch);
      long epochs = Math.clamp(Math.ceilDiv(STEPS, steps), 5, MOST_EPOCHS);
      return new StartConfig(
          choice.model,
          choice.network(classes),
          train.toString(),
          test.toString(),
          data,
          known,
          0.03,
          batch,
          epochs,
          found);
    }
  }

  private static void split(
      Path train,
      Path test,
      SourceFormat format,
      long records,
      List<String> data,
      List<String> found) {
    if (!train.equals(test)) {
      return;
    }
    if (format == SourceFormat.IMAGES && Files.isDirectory(train)) {
      ImageHalves.of(train).ifPresent(halves -> found.add(halves.line()));
    }
    if (!SourceFormat.hasHalves(train, format)) {
      data.add("split: 0.1                 # the part that is for tests; or test: OTHER-DATA");
      found.add(
          "it has no test half: data.split %s leaves about %,d of them for tests; or set data.test"
              .formatted(SPLIT, SourceFormat.testCount(records, SPLIT)));
    }
  }

  /** A network and the size of its input. */
  private record Choice(String model, int channels, int height, int width) {

    static Choice of(String model, ImageLook look, int classes) {
      String size = (look.grey() ? "1x" : "3x") + (look.uniform() ? look.median() : "mixed");
      String name =
          model != null
              ? model
              : switch (size) {
                case "1x28x28" -> "lenet";
                case "3x32x32" -> "resnet18-small";
                default -> "small-cnn";
              };
      if (ANY_SIZE.contains(name)) {
        return anySize(name, look);
      }
      ObjectNode arguments = JsonNodeFactory.instance.objectNode();
      if (!name.equals("digits")) {
        arguments.put("classes", classes);
      }
      List<Long> input = Models.named(name, arguments).input().extents();
      if (input.size() != 3) {
        throw new UsageException(
            "--model %s takes %s, but the data are images of channels, height and width"
                .formatted(name, input));
      }
      return new Choice(
          name,
          Math.toIntExact(input.get(0)),
          Math.toIntExact(input.get(1)),
          Math.toIntExact(input.get(2)));
    }

    private static Choice anySize(String name, ImageLook look) {
      int channels = look.grey() ? 1 : 3;
      ImageLook.Size median = look.median();
      boolean fits =
          look.uniform()
              && Math.max(median.height(), median.width()) <= LARGEST
              && (name.equals("small-cnn") || (median.height() | median.width()) % 4 == 0);
      if (fits) {
        return new Choice(name, channels, median.height(), median.width());
      }
      int side = SMALLEST;
      while (2 * side <= Math.min(median.shorter(), LARGEST)) {
        side *= 2;
      }
      return new Choice(name, channels, side, side);
    }

    List<String> network(int classes) {
      List<String> lines = new ArrayList<>();
      lines.add("model: " + model);
      if (ANY_SIZE.contains(model)) {
        lines.add("image: [%d, %d, %d]".formatted(channels, height, width));
      }
      if (!model.equals("digits")) {
        lines.add("classes: " + classes);
      }
      return lines;
    }

    /** What brings images to the size of the input; empty if they have it. */
    private String fitting(ImageLook look) {
      boolean same = look.uniform() && look.median().equals(new ImageLook.Size(height, width));
      if (same) {
        return "";
      }
      return height == width && look.nearlySquare()
          ? "shorter=%d,crop=%dx%d".formatted(height, height, width)
          : "resize=%dx%d".formatted(height, width);
    }

    List<String> data(ImageLook look) {
      String fitting = fitting(look);
      return List.of(
          "normalise: compute         # mean and deviation of the training images; none, or"
              + " {mean: ..., deviation: ...}",
          "augment: \"%s\"   # add flip, rotate=10, jitter=0.2 where they make sense"
              .formatted(fitting),
          "test-augment: \"%s\"   # what test images need to fit the network".formatted(fitting));
    }

    String line(ImageLook look) {
      String line =
          "%s for %dx%dx%d (channels x height x width)".formatted(model, channels, height, width);
      String fitting = fitting(look);
      if (!fitting.isEmpty()) {
        line += ", to which images are brought by " + fitting;
      }
      if (channels == 1 && !look.grey()) {
        line += ", in grey";
      }
      return channels == 3 && (look.grey() || look.mixed())
          ? line + ", grey images in three equal channels"
          : line;
    }
  }

  private static int classes(RecordSource source) {
    int most = 0;
    for (long ordinal = 0; ordinal < Math.min(LOOKED_AT, source.size()); ordinal++) {
      most = Math.max(most, Datum.fields(source.record(ordinal).value()).label());
    }
    return most + 1;
  }
}
