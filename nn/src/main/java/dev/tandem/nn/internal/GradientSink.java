package dev.tandem.nn.internal;

import dev.tandem.nn.engine.Tensor;
import java.util.List;

/**
 * Where the gradients of one layer's parameters go: into memory that is there already.
 *
 * @param gradients one for each parameter of the layer, in its order
 * @param adds whether to add to what is there, or to replace it
 * @param collector takes what replaces, to copy it later; null to copy at once
 */
public record GradientSink(List<Tensor> gradients, boolean adds, GradientCollector collector) {

  public GradientSink {
    gradients = List.copyOf(gradients);
  }

  /** Puts gradients into place at once. */
  public GradientSink(List<Tensor> gradients, boolean adds) {
    this(gradients, adds, null);
  }

  /** Takes a gradient, which may be of another type. */
  void put(int parameter, Tensor gradient) {
    Tensor target = gradients.get(parameter);
    if (adds) {
      target.add_(gradient);
    } else if (collector != null) {
      collector.put(target, gradient);
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
