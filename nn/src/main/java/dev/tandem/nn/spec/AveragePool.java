package dev.tandem.nn.spec;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import java.util.List;

/**
 * The mean over windows; zeros of the padding count.
 *
 * @param ceil whether a last window that fits only partly counts too, as in Caffe
 */
public record AveragePool(String name, @JsonUnwrapped Window window, @Default("false") boolean ceil)
    implements LayerSpec {

  public AveragePool {
    window.check(name);
    Pools.check(name, window);
    if (window.dilation().stream().anyMatch(dilation -> dilation != 1)) {
      throw new UsageException("layer %s: average-pool does not support dilation".formatted(name));
    }
  }

  /** Windows that are the same in all dimensions and fit wholly. */
  public AveragePool(String name, int kernel, int stride) {
    this(name, Window.of(kernel).withStride(stride), false);
  }

  @Override
  public String kind() {
    return "average-pool";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    Shape output = Pools.output(this, inputs, window, ceil);
    checkVolume(inputs.getFirst());
    return output;
  }

  /** Over volumes the engine wants the window within the input itself, padding or not. */
  private void checkVolume(Shape input) {
    int dimensions = input.extents().size() - 1;
    Window full = window.over(dimensions);
    for (int i = 0; i < dimensions && dimensions == 3; i++) {
      if (full.kernel().get(i) > input.extents().get(i + 1)) {
        throw new UsageException(
            "layer %s: its window %s is larger than its input %s, padding apart"
                .formatted(name, full.kernel(), input));
      }
    }
  }
}
