package dev.tandem.nn.spec;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.tandem.core.Shape;
import dev.tandem.nn.yaml.Default;
import java.util.List;

/**
 * The maximum over windows.
 *
 * @param ceil whether a last window that fits only partly counts too, as in Caffe
 */
public record MaxPool(String name, @JsonUnwrapped Window window, @Default("false") boolean ceil)
    implements LayerSpec {

  public MaxPool {
    window.check(name);
    Pools.check(name, window);
  }

  /** Windows that are the same in all dimensions and fit wholly. */
  public MaxPool(String name, int kernel, int stride) {
    this(name, Window.of(kernel).withStride(stride), false);
  }

  @Override
  public String kind() {
    return "max-pool";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    return Pools.output(this, inputs, window, ceil);
  }
}
