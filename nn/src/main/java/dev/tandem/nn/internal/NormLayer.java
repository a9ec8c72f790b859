package dev.tandem.nn.internal;

import dev.tandem.nn.engine.Functions.Three;
import dev.tandem.nn.engine.Mask;
import dev.tandem.nn.engine.Tensor;
import java.util.List;

/**
 * What normalisations have in common: a kernel gives the result and two things to save, another all
 * gradients, or those that are wanted.
 */
abstract class NormLayer implements Layer {

  private final Mask weightsOnly;

  /**
   * What the kernel is asked for.
   *
   * @param weightsAlone whether the kernel can be asked for the parameters' gradients alone
   */
  NormLayer(boolean weightsAlone) {
    weightsOnly = weightsAlone ? Mask.WEIGHTS_AND_BIAS : Mask.ALL;
  }

  abstract Three normalise(Tensor input, Mode mode);

  abstract Three gradients(Pass pass, Tensor gradient, Mask wanted);

  /** Gradients of which those of the parameters are there. */
  final Three weightGradients(Pass pass, Tensor gradient) {
    return gradients(pass, gradient, weightsOnly);
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    Three result = normalise(input, mode);
    return new Pass(input, like(input, result.first()), result.second(), result.third());
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    return List.of(like(outputGradient, gradients(pass, outputGradient, Mask.DATA).first()));
  }

  @Override
  public void backwardWeights(Pass pass, Tensor outputGradient, GradientSink sink) {
    putWeights(weightGradients(pass, outputGradient), sink);
  }

  @Override
  public boolean passesApart() {
    return false;
  }

  @Override
  public List<Tensor> backward(
      Pass pass, Tensor outputGradient, GradientSink sink, Runnable weightsReady) {
    Three result = gradients(pass, outputGradient, Mask.ALL);
    putWeights(result, sink);
    weightsReady.run();
    return List.of(like(outputGradient, result.first()));
  }

  /** Of the type that the layer was given, whatever the kernel computes in. */
  private static Tensor like(Tensor given, Tensor result) {
    return result.to(given.type());
  }

  private static void putWeights(Three result, GradientSink sink) {
    sink.put(0, result.second());
    sink.put(1, result.third());
  }
}
