package dev.tandem.train.start;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.Datum;
import dev.tandem.data.RecordSource;
import dev.tandem.data.decode.DatumDecoder;
import dev.tandem.data.format.ImageFolder;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.image.Image;
import dev.tandem.data.source.Sources;
import dev.tandem.nn.models.Models;
import java.nio.file.Path;
import java.util.List;

/** Images with classes, in whatever format. */
public final class ImageStart implements StartKind {

  /** Labels are looked for in this many records at most. */
  private static final long LOOKED_AT = 200_000;

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
    List<String> known = names;
    if (known.isEmpty() && SourceFormat.of(train) == SourceFormat.IMAGES) {
      known = ImageFolder.list(train).labels();
    }
    try (RecordSource source = Sources.open(train, Split.TRAIN)) {
      if (source.size() == 0) {
        throw new WorkFailedException(train + " holds no records");
      }
      String chosen = model == null ? suiting(train, source) : model;
      int classes = known.isEmpty() ? classes(source) : known.size();
      return new StartConfig(
          chosen,
          List.of("model: " + chosen, "classes: " + classes),
          train.toString(),
          test.toString(),
          List.of(
              "normalise: compute         # mean and deviation of the training images; none, or"
                  + " {mean: ..., deviation: ...}",
              "augment: \"\"                # such as random-crop=32x32+4,flip",
              "test-augment: \"\"           # such as resize=32x32"),
          known,
          0.03,
          List.of());
    }
  }

  private static String suiting(Path train, RecordSource source) {
    Image image = new DatumDecoder(false).decode(source.record(0)).image();
    String size = image.channels() + "x" + image.height() + "x" + image.width();
    return switch (size) {
      case "1x28x28" -> "lenet";
      case "3x32x32" -> "resnet18-small";
      default ->
          throw new UsageException(
              "images in %s are %s, for which there is no usual network: name one with --model (%s)"
                  .formatted(train, size, String.join(", ", Models.names())));
    };
  }

  private static int classes(RecordSource source) {
    int most = 0;
    for (long ordinal = 0; ordinal < Math.min(LOOKED_AT, source.size()); ordinal++) {
      most = Math.max(most, Datum.fields(source.record(ordinal).value()).label());
    }
    return most + 1;
  }
}
