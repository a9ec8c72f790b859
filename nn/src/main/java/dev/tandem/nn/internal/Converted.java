package dev.tandem.nn.internal;

import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * All parameters of a network in the type of its activations, on a device: made by one operation
 * for each pass instead of one for each layer. Borrows the parameters.
 */
public final class Converted implements AutoCloseable {

  private final Tensor parameters;
  private final Tensor everything;
  private final List<Tensor> tensors = new ArrayList<>();

  /** A copy of these parameters, which are in one piece; not filled yet. */
  public Converted(FlatTensors parameters, ScalarType type) {
    this.parameters = parameters.everything().orElseThrow();
    try (Scope _ = new Scope()) {
      everything = Tensor.zeros(type, this.parameters.numel()).retain();
      tensors.addAll(parameters.inFastOrder(everything));
    }
  }

  /** In the order of the parameters. */
  public List<Tensor> tensors() {
    return tensors;
  }

  /** Takes the parameters as they are now. */
  public void refresh() {
    everything.copy_(parameters);
  }

  @Override
  public void close() {
    tensors.forEach(Tensor::release);
    everything.release();
  }
}
