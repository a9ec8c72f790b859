package dev.tandem.nn;

import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch;

/** A fully connected layer with bias; borrows its parameters and gradients from their buckets. */
final class FullyConnectedLayer implements Layer {

  private final Tensor weight;
  private final Tensor weightGradient;
  private final Tensor biasGradient;
  private final TensorOptional bias;

  FullyConnectedLayer(Bucket parameters, Bucket gradients, int first) {
    weight = parameters.tensor(first);
    weightGradient = gradients.tensor(first);
    biasGradient = gradients.tensor(first + 1);
    bias = new TensorOptional(parameters.tensor(first + 1));
  }

  @Override
  public Pass forward(Tensor input) {
    return new Pass(input, torch.linear(input, weight, bias), null);
  }

  @Override
  public Tensor backwardData(Pass pass, Tensor outputGradient) {
    return torch.mm(outputGradient, weight);
  }

  @Override
  public void backwardWeights(Pass pass, Tensor outputGradient) {
    torch.mm_out(weightGradient, outputGradient.t(), pass.input());
    torch.sum_out(biasGradient, outputGradient, 0);
  }

  @Override
  public void close() {
    bias.close();
  }
}
