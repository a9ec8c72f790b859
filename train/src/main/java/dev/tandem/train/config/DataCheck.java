package dev.tandem.train.config;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.ArrayRecord;
import dev.tandem.data.RecordSource;
import dev.tandem.data.format.ImageHalves;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.image.Image;
import dev.tandem.data.load.ArrayPreparation;
import dev.tandem.data.load.Preparation;
import dev.tandem.data.load.RecordPreparation;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.source.DataPart;
import dev.tandem.data.source.Sources;
import java.nio.file.Path;
import java.util.List;

/** Looks whether the data is there and fits the network, before anything is started. */
public final class DataCheck {

  /** How many records to try until one is an image. */
  private static final int TRIES = 100;

  private DataCheck() {}

  /** Fails with one line that names the key if the data is missing or does not fit. */
  public static void check(TrainingConfig config) {
    DataConfig data = config.data();
    DataPart training = data.part(Split.TRAIN, config.seed());
    DataPart test = data.part(Split.TEST, config.seed());
    check("data.train", training, data.locate(), config.trainingPreparation());
    Path train = Path.of(data.train());
    Sources.requireMode(train, SourceFormat.of(train), data.read(), data.locate());
    check("data.test", test, data.locate(), config.testPreparation());
    String weights = config.fineTune().initFrom();
    if (!weights.isEmpty()) {
      StartWeights.read(Path.of(weights)); // fails here if it is damaged, not in every rank
    }
    if (data.split() > 0 && SourceFormat.hasHalves(train, SourceFormat.of(train))) {
      throw new UsageException(
          "data.split is %s, but %s has a test half: leave data.split out"
              .formatted(data.split(), train));
    }
  }

  /** Lines that a user should see: what is tested with, where that is not plain. */
  public static List<String> remarks(TrainingConfig config) {
    DataConfig data = config.data();
    Path train = Path.of(data.train());
    SourceFormat format = SourceFormat.of(train);
    boolean halves = SourceFormat.hasHalves(train, format);
    if (data.testsOnTrainingData()) {
      return List.of(
          "the training data is also the test data, so that accuracy says little: set data.split:"
              + " 0.1, or data.test");
    }
    if (format == SourceFormat.IMAGES && halves && data.train().equals(data.test())) {
      return List.of(ImageHalves.of(train).orElseThrow().line());
    }
    return data.split() == 0
        ? List.of()
        : List.of(
            "data.split %s: part of %s is left for tests, chosen by seed %d"
                .formatted(data.split(), train, config.seed()));
  }

  private static void check(String key, DataPart part, Locate locate, RecordPreparation wanted) {
    try (RecordSource source = Sources.open(part, locate)) {
      if (source.size() == 0) {
        throw new WorkFailedException(part.path() + " holds no records");
      }
      if (!(wanted instanceof Preparation preparation)) {
        checkArray(key, source, (ArrayPreparation) wanted);
        return;
      }
      Image image = firstImage(source, preparation);
      if (image.channels() != preparation.format().channels()
          || image.height() != preparation.format().height()
          || image.width() != preparation.format().width()) {
        throw new UsageException(
            "%s: its images are %dx%dx%d (channels, height, width), but the network takes %dx%dx%d:"
                    .formatted(
                        key,
                        image.channels(),
                        image.height(),
                        image.width(),
                        preparation.format().channels(),
                        preparation.format().height(),
                        preparation.format().width())
                + " use another network, or data.augment and data.test-augment to change the"
                + " images");
      }
    } catch (WorkFailedException e) {
      throw new WorkFailedException(key + ": " + e.getMessage(), e);
    }
  }

  private static void checkArray(String key, RecordSource source, ArrayPreparation wanted) {
    ArrayRecord first = ArrayRecord.decode(source.record(0).value());
    if (!wanted.fits(first.shape())) {
      throw new UsageException(
          "%s: its arrays are %s, but the network takes %s"
              .formatted(key, first.shape(), wanted.shape()));
    }
    if (first.values().size() != wanted.targetValues()) {
      throw new UsageException(
          first.values().isEmpty()
              ? "%s: its targets are labels, but loss is mean-squared-error".formatted(key)
              : "%s: its targets are %d values, but the network has %s"
                  .formatted(
                      key,
                      first.values().size(),
                      wanted.targetValues() == 0
                          ? "classes"
                          : wanted.targetValues() + " outputs: change the last layer"));
    }
  }

  private static Image firstImage(RecordSource source, Preparation preparation) {
    WorkFailedException last = null;
    for (long ordinal = 0; ordinal < Math.min(TRIES, source.size()); ordinal++) {
      try {
        Image decoded = preparation.decoder().decode(source.record(ordinal)).image();
        return preparation.augmentation().apply(decoded, preparation.seed().random());
      } catch (WorkFailedException e) {
        last = e;
      }
    }
    throw new WorkFailedException(
        "none of the first %d records is an image: %s"
            .formatted(Math.min(TRIES, source.size()), last.getMessage()),
        last);
  }
}
