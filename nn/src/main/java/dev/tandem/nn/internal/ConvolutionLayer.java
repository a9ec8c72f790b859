package dev.tandem.nn.internal;

import dev.tandem.core.Shape;
import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Functions.Three;
import dev.tandem.nn.engine.Mask;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.engine.Windows;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Window;
import java.util.List;

/**
 * A convolution in two or three dimensions of space; saves the weights that it computed with, if
 * they stay.
 */
final class ConvolutionLayer implements Layer {

  private final LayerTensors tensors;
  private final Mask weightsOnly;
  private final long[] biasShape;
  private final Windows windows;
  private final long groups;
  private final boolean bias;
  private final ConvolutionProduct product;

  ConvolutionLayer(Convolution spec, Shape input, LayerTensors tensors) {
    this.tensors = tensors;
    Window window = spec.window().over(input.extents().size() - 1);
    windows = Torch.windows(window);
    groups = spec.groups();
    bias = spec.bias();
    weightsOnly = bias ? Mask.WEIGHTS_AND_BIAS : Mask.WEIGHTS;
    biasShape = bias ? new long[] {spec.filters()} : null;
    product = new ConvolutionProduct(window, spec.filters(), spec.groups());
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    Tensor weight = tensors.computingFast(0);
    if (!tensors.accelerated() && product.paysForward(ConvolutionProduct.Input.of(input))) {
      Tensor output = product.forward(input, weight);
      if (bias) {
        output.add_(Torch.perChannel(tensors.computing(1), output));
      }
      return new Pass(input, output, tensors.saved(weight));
    }
    Tensor output =
        Functions.convolution(input, weight, tensors.computingOptional(1), windows, groups);
    return new Pass(input, output, tensors.saved(weight));
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    if (!tensors.accelerated() && product.paysForData(ConvolutionProduct.Input.of(pass.input()))) {
      return List.of(product.dataGradient(pass.input(), weight(pass), outputGradient));
    }
    return List.of(backward(pass, outputGradient, Mask.DATA).first());
  }

  @Override
  public void backwardWeights(Pass pass, Tensor outputGradient, GradientSink sink) {
    if (!tensors.accelerated()
        && product.paysForWeights(ConvolutionProduct.Input.of(pass.input()))) {
      sink.put(0, product.weightGradient(pass.input(), outputGradient));
      if (bias) {
        sink.put(1, outputGradient.sum(Torch.allButChannels(outputGradient)));
      }
      return;
    }
    Three result = backward(pass, outputGradient, weightsOnly);
    sink.put(0, result.second());
    if (bias) {
      sink.put(1, result.third());
    }
  }

  @Override
  public List<Tensor> backward(
      Pass pass, Tensor outputGradient, GradientSink sink, Runnable weightsReady) {
    if (!tensors.accelerated()) {
      return Layer.super.backward(pass, outputGradient, sink, weightsReady);
    }
    // One call instead of two: what it costs the processor counts on a device.
    Three result = backward(pass, outputGradient, bias ? Mask.ALL : Mask.DATA_AND_WEIGHTS);
    sink.put(0, result.second());
    if (bias) {
      sink.put(1, result.third());
    }
    weightsReady.run();
    return List.of(result.first());
  }

  private Tensor weight(Pass pass) {
    return pass.saved().isEmpty() ? tensors.computingFast(0) : pass.saved(0);
  }

  private Three backward(Pass pass, Tensor outputGradient, Mask wanted) {
    return Functions.convolutionBackward(
        outputGradient, pass.input(), weight(pass), biasShape, windows, groups, wanted);
  }
}
