package dev.tandem.cli;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.ImageFormat;
import dev.tandem.data.RecordSource;
import dev.tandem.data.augment.AugmentationText;
import dev.tandem.data.augment.Augmentations;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.augment.PixelStatistics;
import dev.tandem.data.decode.DatumDecoder;
import dev.tandem.data.decode.SampleDecoder;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.image.Image;
import dev.tandem.data.load.Preparation;
import dev.tandem.data.read.LoadRequest;
import dev.tandem.data.source.DataPart;
import dev.tandem.data.source.Sources;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** What commands share that make samples of a data set. */
final class SampleOptions {

  /** How many records to try until one tells the format. */
  private static final int TRIES = 100;

  /** Records from which the mean is computed: enough for three digits. */
  private static final long LOOKED_AT = 10_000;

  @Option(names = "--from", description = "Format: ${COMPLETION-CANDIDATES}. Default: by content.")
  private SourceFormat from;

  @Option(
      names = "--split",
      defaultValue = "train",
      description = "IDX and CIFAR-10 folders: which half, ${COMPLETION-CANDIDATES}.")
  private SourceFormat.Split split;

  @Option(
      names = "--augment",
      paramLabel = "LIST",
      defaultValue = "",
      description = "Augmentations, applied in order: " + AugmentationText.SYNTAX)
  private String augment;

  @Option(
      names = "--normalise",
      paramLabel = "HOW",
      defaultValue = "none",
      description =
          "none (0 to 1), compute (zero mean and unit variance per channel, from up to 10,000"
              + " records) or MEAN/DEVIATION for every channel, separated by commas.")
  private String normalise;

  @Option(names = "--grey", description = "Decode compressed images to one channel.")
  private boolean grey;

  /** Opens the data set for a loader. */
  RecordSource open(
      Path data, LoadRequest request, Communicator communicator, Consumer<String> log) {
    SourceFormat format = from == null ? SourceFormat.of(data) : from;
    Sources.requireMode(data, format, request.mode(), request.locate());
    return checked(
        data, Sources.open(DataPart.of(data, split), format, request, communicator, log));
  }

  private static RecordSource checked(Path data, RecordSource source) {
    if (source.size() == 0) {
      source.close();
      throw new WorkFailedException(data + " holds no records");
    }
    return source;
  }

  /** Whether the normalisation is computed from the data. */
  boolean computesNormalisation() {
    return normalise.equals("compute");
  }

  /** Everything between record and batch. */
  Preparation preparation(RecordSource source, Seed seed) {
    SampleDecoder decoder = new DatumDecoder(grey ? 1 : 0);
    Augmentations augmentations = AugmentationText.parse(augment);
    ImageFormat format = format(source, decoder, augmentations, seed);
    return new Preparation(decoder, augmentations, normalisation(source, decoder), format, seed);
  }

  /** What all images have in common is what the first good one has. */
  private static ImageFormat format(
      RecordSource source, SampleDecoder decoder, Augmentations augmentations, Seed seed) {
    WorkFailedException last = null;
    for (long ordinal = 0; ordinal < Math.min(TRIES, source.size()); ordinal++) {
      try {
        Image decoded = decoder.decode(source.record(ordinal)).image();
        Image image = augmentations.apply(decoded, seed.random());
        // Any label will do.
        return new ImageFormat(
            image.channels(), image.height(), image.width(), Integer.MAX_VALUE, 0, 1);
      } catch (WorkFailedException e) {
        last = e;
      }
    }
    throw new WorkFailedException(
        "none of the first %d records is an image: %s".formatted(TRIES, last.getMessage()), last);
  }

  private Normalisation normalisation(RecordSource source, SampleDecoder decoder) {
    if (normalise.equals("none")) {
      return Normalisation.UNIT;
    }
    if (computesNormalisation()) {
      return PixelStatistics.of(source, decoder, LOOKED_AT, ConsoleProgress.system());
    }
    try {
      List<String[]> channels =
          Arrays.stream(normalise.split(",", -1)).map(pair -> pair.split("/", -1)).toList();
      return new Normalisation(
          channels.stream().map(pair -> Double.parseDouble(pair[0])).toList(),
          channels.stream().map(pair -> Double.parseDouble(pair[1])).toList());
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new UsageException(
          "--normalise " + normalise + ": expected none, compute or MEAN/DEVIATION,...");
    }
  }
}
