package dev.tandem.nn;

import org.bytedeco.javacpp.BoolPointer;
import org.bytedeco.pytorch.LongArrayRefOptional;
import org.bytedeco.pytorch.T_TensorTensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch;

/** A 2-D convolution with bias; borrows its parameters and gradients from their buckets. */
final class ConvolutionLayer implements Layer {

  private final Tensor weight;
  private final Tensor weightGradient;
  private final Tensor biasGradient;
  private final TensorOptional bias;
  private final LongArrayRefOptional biasShape;
  private final BoolPointer dataOnly = mask(true, false, false);
  private final BoolPointer weightsOnly = mask(false, true, true);
  private final long[] stride;
  private final long[] padding;
  private final long[] dilation = {1, 1};
  private final long[] outputPadding = {0, 0};

  ConvolutionLayer(LayerSpec.Convolution spec, Bucket parameters, Bucket gradients, int first) {
    weight = parameters.tensor(first);
    weightGradient = gradients.tensor(first);
    biasGradient = gradients.tensor(first + 1);
    bias = new TensorOptional(parameters.tensor(first + 1));
    biasShape = new LongArrayRefOptional(spec.filters());
    stride = new long[] {spec.stride(), spec.stride()};
    padding = new long[] {spec.padding(), spec.padding()};
  }

  @Override
  public Pass forward(Tensor input) {
    return new Pass(input, torch.conv2d(input, weight, bias, stride, padding, dilation, 1), null);
  }

  @Override
  public Tensor backwardData(Pass pass, Tensor outputGradient) {
    return backward(pass, outputGradient, dataOnly).get0();
  }

  @Override
  public void backwardWeights(Pass pass, Tensor outputGradient) {
    T_TensorTensorTensor_T result = backward(pass, outputGradient, weightsOnly);
    weightGradient.copy_(result.get1());
    biasGradient.copy_(result.get2());
  }

  @Override
  public void close() {
    bias.close();
    biasShape.close();
    dataOnly.close();
    weightsOnly.close();
  }

  private T_TensorTensorTensor_T backward(Pass pass, Tensor outputGradient, BoolPointer wanted) {
    return torch.convolution_backward(
        outputGradient,
        pass.input(),
        weight,
        biasShape,
        stride,
        padding,
        dilation,
        false,
        outputPadding,
        1,
        wanted);
  }

  private static BoolPointer mask(boolean data, boolean weights, boolean bias) {
    return new BoolPointer(3).put(0, data).put(1, weights).put(2, bias);
  }
}
