package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import java.util.List;

/**
 * In training each element becomes zero with this probability, and the others grow so that the mean
 * stays; in evaluation nothing happens.
 *
 * <p>Which elements depends on the seed, the step, the layer's name and the sample's place in the
 * step alone: not on threads, ranks or how the step is cut into batches.
 */
public record Dropout(String name, @Default("0.5") double probability) implements LayerSpec {

  public Dropout {
    if (!(probability >= 0 && probability < 1)) {
      throw new UsageException(
          "layer %s: probability is %s, expected 0 to less than 1".formatted(name, probability));
    }
  }

  @Override
  public String kind() {
    return "dropout";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    return Checks.single(this, inputs);
  }
}
