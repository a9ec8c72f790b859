package dev.tandem.train.config;

import com.fasterxml.jackson.annotation.JsonCreator;
import dev.tandem.core.Progress;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.augment.ArrayStatistics;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.augment.PixelStatistics;
import dev.tandem.data.decode.DatumDecoder;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.source.DataPart;
import dev.tandem.data.source.Sources;
import java.util.List;

/**
 * The key {@code data.normalise}: numbers for every channel or one for all, or the words {@code
 * none} or {@code compute}, which stands for the numbers of the training data.
 *
 * @param mean none until they are computed
 */
public record Normalise(List<Double> mean, List<Double> deviation) {

  /** Records from which the mean is computed: enough for three digits. */
  private static final long LOOKED_AT = 10_000;

  /** Fewer where each must be decoded. */
  private static final long DECODED = 1_000;

  @JsonCreator
  public Normalise {
    mean = List.copyOf(mean);
    deviation = List.copyOf(deviation);
    if (!mean.isEmpty() || !deviation.isEmpty()) {
      new Normalisation(mean, deviation); // checks
    }
  }

  /** What a word stands for. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  static Normalise of(String word) {
    return switch (word) {
      case "none" -> of(Normalisation.UNIT);
      case "compute" -> new Normalise(List.of(), List.of());
      default ->
          throw new UsageException(
              "'%s', expected compute, none or {mean: ..., deviation: ...}".formatted(word));
    };
  }

  private static Normalise of(Normalisation numbers) {
    return new Normalise(numbers.means(), numbers.deviations());
  }

  /** No normalisation. */
  static final Normalise NONE = of(Normalisation.UNIT);

  /** Whether the numbers are still to be computed. */
  boolean open() {
    return mean.isEmpty();
  }

  /** The same with numbers, which are these if there are none. */
  Normalise or(Normalisation numbers) {
    return open() ? of(numbers) : this;
  }

  /** What makes the arrays of training data zero mean and unit variance. */
  static ArrayStatistics ofArrays(DataPart train, Locate locate) {
    try (RecordSource source = Sources.open(train, locate)) {
      return ArrayStatistics.of(source, LOOKED_AT);
    } catch (WorkFailedException e) {
      throw new WorkFailedException("data.train: " + e.getMessage(), e);
    }
  }

  /** The same with numbers, which are computed from training data if there are none. */
  Normalise computed(DataPart train, Locate locate, int channels) {
    if (!mean.isEmpty()) {
      return this;
    }
    try (RecordSource source = Sources.open(train, locate)) {
      boolean images = SourceFormat.of(train.path()) == SourceFormat.IMAGES;
      long most = images ? DECODED : LOOKED_AT;
      return of(PixelStatistics.of(source, new DatumDecoder(channels), most, Progress.SILENT));
    } catch (WorkFailedException e) {
      throw new WorkFailedException("data.train: " + e.getMessage(), e);
    }
  }
}
