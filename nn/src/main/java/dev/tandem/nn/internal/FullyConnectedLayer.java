package dev.tandem.nn.internal;

import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Tensor;
import java.util.List;

/**
 * A fully connected layer over the last dimension; saves the weights that it computed with, if they
 * stay.
 */
final class FullyConnectedLayer implements Layer {

  private final LayerTensors tensors;

  FullyConnectedLayer(LayerTensors tensors) {
    this.tensors = tensors;
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    Tensor weight = tensors.computing(0);
    Tensor output = Functions.linear(input, weight, tensors.computingOptional(1));
    return new Pass(input, output, tensors.saved(weight));
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    Tensor weight = pass.saved().isEmpty() ? tensors.computing(0) : pass.saved(0);
    return List.of(outputGradient.matmul(weight));
  }

  @Override
  public void backwardWeights(Pass pass, Tensor outputGradient, GradientSink sink) {
    Tensor rows = rows(outputGradient);
    sink.putProduct(0, rows.t(), rows(pass.input()));
    if (tensors.parameters().size() > 1) {
      sink.put(1, rows.sum(0));
    }
  }

  /** A batch of sequences as one long batch of tokens. */
  static Tensor rows(Tensor tensor) {
    return tensor.dim() == 2 ? tensor : tensor.reshape(-1, tensor.size(tensor.dim() - 1));
  }
}
