package dev.tandem.train.config;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.core.Progress;
import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.augment.PixelStatistics;
import dev.tandem.data.decode.DatumDecoder;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.source.Sources;
import dev.tandem.nn.spec.Fields;
import dev.tandem.nn.spec.NetworkSpec;
import java.nio.file.Path;

/** The key {@code data.normalise}. */
final class Normalisations {

  private static final String KEY = "normalise";

  /** Records from which the mean is computed: enough for three digits. */
  private static final long LOOKED_AT = 10_000;

  private Normalisations() {}

  /** What the key says; {@code compute}, the default, looks at the training data. */
  static Normalisation read(Fields keys, String train, NetworkSpec network) {
    JsonNode value = keys.has(KEY) ? keys.tree(KEY) : null;
    if (value != null && value.isObject()) {
      Fields numbers = keys.section(KEY);
      Normalisation normalisation =
          new Normalisation(numbers.numbers("mean"), numbers.numbers("deviation"));
      numbers.requireAllRead();
      return normalisation;
    }
    String word = value == null ? "compute" : value.asText();
    return switch (word) {
      case "none" -> Normalisation.UNIT;
      case "compute" -> compute(Path.of(train), network.input().extents().getFirst() == 1);
      default ->
          throw new UsageException(
              "data: normalise is '%s', not compute, none or {mean: ..., deviation: ...}"
                  .formatted(word));
    };
  }

  private static Normalisation compute(Path train, boolean grey) {
    try (RecordSource source = Sources.open(train, Split.TRAIN)) {
      return PixelStatistics.of(source, new DatumDecoder(grey), LOOKED_AT, Progress.SILENT);
    }
  }
}
