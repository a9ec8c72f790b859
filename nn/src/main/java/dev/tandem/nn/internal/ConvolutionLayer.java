package dev.tandem.nn.internal;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Window;
import java.util.List;
import org.bytedeco.javacpp.BoolPointer;
import org.bytedeco.pytorch.LongArrayRefOptional;
import org.bytedeco.pytorch.T_TensorTensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** A convolution in two or three dimensions of space; saves the weights that it computed with. */
final class ConvolutionLayer implements Layer {

  private final LayerTensors tensors;
  private final BoolPointer dataOnly = Torch.mask(true, false, false);
  private final BoolPointer weightsOnly;
  private final LongArrayRefOptional noBias = new LongArrayRefOptional();
  private final long[] biasShape;
  private final long[] stride;
  private final long[] padding;
  private final long[] dilation;
  private final long[] outputPadding;
  private final long groups;
  private final boolean bias;
  private final ConvolutionProduct product;

  ConvolutionLayer(Convolution spec, Shape input, LayerTensors tensors) {
    this.tensors = tensors;
    int dimensions = input.extents().size() - 1;
    Window window = spec.window().over(dimensions);
    stride = Torch.longs(window.stride());
    padding = Torch.longs(window.padding());
    dilation = Torch.longs(window.dilation());
    outputPadding = new long[dimensions];
    groups = spec.groups();
    bias = spec.bias();
    weightsOnly = Torch.mask(false, true, bias);
    biasShape = new long[] {spec.filters()};
    product = new ConvolutionProduct(window, spec.filters(), spec.groups());
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    Tensor weight = tensors.computingFast(0);
    // The engine would differentiate the product step by step: slower than its own kernels.
    boolean differentiated = input.requires_grad() || weight.requires_grad();
    if (!differentiated && product.pays(input)) {
      Tensor output = product.forward(input, weight);
      if (bias) {
        output.add_(Torch.perChannel(tensors.computing(1), output));
      }
      return new Pass(input, output, weight);
    }
    Tensor output =
        torch.convolution(
            input,
            weight,
            tensors.computingOptional(1),
            stride,
            padding,
            dilation,
            false,
            outputPadding,
            groups);
    return new Pass(input, output, weight);
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    if (product.pays(pass.input())) {
      return List.of(product.dataGradient(pass.input(), pass.saved(0), outputGradient));
    }
    return List.of(Torch.own(backward(pass, outputGradient, dataOnly).get0()));
  }

  @Override
  public void backwardWeights(Pass pass, Tensor outputGradient, GradientSink sink) {
    if (product.paysForWeights(pass.input())) {
      sink.put(0, product.weightGradient(pass.input(), outputGradient));
      if (bias) {
        sink.put(1, outputGradient.sum(Torch.allButChannels(outputGradient)));
      }
      return;
    }
    T_TensorTensorTensor_T result = backward(pass, outputGradient, weightsOnly);
    sink.put(0, result.get1());
    if (bias) {
      sink.put(1, result.get2());
    }
  }

  @Override
  public void close() {
    noBias.close();
    dataOnly.close();
    weightsOnly.close();
  }

  private T_TensorTensorTensor_T backward(Pass pass, Tensor outputGradient, BoolPointer wanted) {
    Tensor input = pass.input();
    Tensor weight = pass.saved(0);
    return bias
        ? torch.convolution_backward(
            outputGradient,
            input,
            weight,
            biasShape,
            stride,
            padding,
            dilation,
            false,
            outputPadding,
            groups,
            wanted)
        : torch.convolution_backward(
            outputGradient,
            input,
            weight,
            noBias,
            stride,
            padding,
            dilation,
            false,
            outputPadding,
            groups,
            wanted);
  }
}
