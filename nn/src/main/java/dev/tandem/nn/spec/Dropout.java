package dev.tandem.nn.spec;

import dev.tandem.core.Region;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import java.util.List;
import java.util.Optional;

/**
 * In training each element becomes zero with this probability, and the others grow so that the mean
 * stays; in evaluation nothing happens.
 *
 * <p>Which elements depends on the seed, the step, the layer's name and the sample's place in the
 * step alone: not on threads, ranks or how the step is cut into batches or a sample into regions.
 *
 * @param region of the whole sample that the layer has; empty for all of it. Files do not know it.
 * @param samples which of its group's samples the layer has
 */
public record Dropout(String name, double probability, Optional<Region> region, SampleShare samples)
    implements LayerSpec {

  public Dropout {
    if (!(probability >= 0 && probability < 1)) {
      throw new UsageException(
          "layer %s: probability is %s, expected 0 to less than 1".formatted(name, probability));
    }
  }

  /** Of whole samples. */
  public Dropout(String name, double probability) {
    this(name, probability, Optional.empty(), SampleShare.ALL);
  }

  /** Whether the layer is that of a whole network. */
  boolean isWhole() {
    return region.isEmpty() && samples.equals(SampleShare.ALL);
  }

  @Override
  public String kind() {
    return "dropout";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    Shape input = Checks.single(this, inputs);
    if (region.isPresent() && !region.get().local().equals(input)) {
      throw new UsageException(
          "layer %s: a region of %s for an input of %s"
              .formatted(name, region.get().local(), input));
    }
    return input;
  }
}
