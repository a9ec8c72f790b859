package dev.tandem.nn.internal;

import java.util.List;
import org.bytedeco.javacpp.BoolPointer;
import org.bytedeco.pytorch.T_TensorTensorTensor_T;
import org.bytedeco.pytorch.Tensor;

/**
 * What normalisations have in common: a kernel gives the result and two things to save, another all
 * gradients, or those that are wanted.
 */
abstract class NormLayer implements Layer {

  private final BoolPointer dataOnly = Torch.mask(true, false, false);
  private final BoolPointer weightsOnly;
  private final BoolPointer everything = Torch.mask(true, true, true);

  /**
   * Prepares the masks.
   *
   * @param weightsAlone whether the kernel can be asked for the parameters' gradients alone
   */
  NormLayer(boolean weightsAlone) {
    weightsOnly = Torch.mask(!weightsAlone, true, true);
  }

  abstract T_TensorTensorTensor_T normalise(Tensor input, Mode mode);

  abstract T_TensorTensorTensor_T gradients(Pass pass, Tensor gradient, BoolPointer wanted);

  /** Gradients of which those of the parameters are there. */
  final T_TensorTensorTensor_T weightGradients(Pass pass, Tensor gradient) {
    return gradients(pass, gradient, weightsOnly);
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    T_TensorTensorTensor_T result = normalise(input, mode);
    return new Pass(
        input, like(input, result.get0()), Torch.own(result.get1()), Torch.own(result.get2()));
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    return List.of(like(outputGradient, gradients(pass, outputGradient, dataOnly).get0()));
  }

  @Override
  public void backwardWeights(Pass pass, Tensor outputGradient, GradientSink sink) {
    putWeights(weightGradients(pass, outputGradient), sink);
  }

  @Override
  public List<Tensor> backward(
      Pass pass, Tensor outputGradient, GradientSink sink, Runnable weightsReady) {
    T_TensorTensorTensor_T result = gradients(pass, outputGradient, everything);
    putWeights(result, sink);
    weightsReady.run();
    return List.of(like(outputGradient, result.get0()));
  }

  /** A tensor of its own, of the type that the layer was given, whatever the kernel computes in. */
  private static Tensor like(Tensor given, Tensor result) {
    return Torch.own(result.to(given.scalar_type()));
  }

  private static void putWeights(T_TensorTensorTensor_T result, GradientSink sink) {
    sink.put(0, result.get1());
    sink.put(1, result.get2());
  }

  @Override
  public void close() {
    dataOnly.close();
    weightsOnly.close();
    everything.close();
  }
}
