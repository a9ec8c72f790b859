package dev.tandem.nn.internal;

import dev.tandem.nn.engine.Tensor;
import java.util.List;

/**
 * Where the gradients of one layer's parameters go: into memory that is there already.
 *
 * @param gradients one for each parameter of the layer, in its order
 * @param adds whether to add to what is there, or to replace it
 */
public record GradientSink(List<Tensor> gradients, boolean adds) {

  public GradientSink {
    gradients = List.copyOf(gradients);
  }

  /** Takes a gradient, which may be of another type. */
  void put(int parameter, Tensor gradient) {
    Tensor target = gradients.get(parameter);
    if (adds) {
      target.add_(gradient);
    } else {
      target.copy_(gradient);
    }
  }

  /** Takes the product of two matrices, computed in place where the types allow it. */
  void putProduct(int parameter, Tensor left, Tensor right) {
    Tensor target = gradients.get(parameter);
    if (left.type() != target.type()) {
      put(parameter, left.mm(right));
    } else if (adds) {
      target.addmm_(left, right);
    } else {
      target.mm_(left, right);
    }
  }
}
