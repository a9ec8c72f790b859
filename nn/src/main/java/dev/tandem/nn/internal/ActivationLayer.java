package dev.tandem.nn.internal;

import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.Activation;
import java.util.List;

/** A function of each element. */
final class ActivationLayer implements Layer {

  private final Activation.Function function;
  private final double slope;

  ActivationLayer(Activation spec) {
    function = spec.function();
    slope = spec.slope();
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    Tensor output =
        switch (function) {
          case RELU -> Functions.relu(input);
          case LEAKY_RELU -> Functions.leakyRelu(input, slope);
          case GELU -> Functions.gelu(input);
          case SIGMOID -> Functions.sigmoid(input);
          case TANH -> Functions.tanh(input);
          case SILU -> Functions.silu(input);
        };
    return new Pass(input, output);
  }

  @Override
  public Pass forwardOver(List<Tensor> inputs, Mode mode) {
    if (function != Activation.Function.RELU) {
      return forward(inputs, mode); // their backward passes need the input, or they are rare
    }
    Tensor input = inputs.getFirst();
    return new Pass(input, Functions.reluInPlace(input));
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    return List.of(
        switch (function) {
          case RELU -> Functions.reluBackward(outputGradient, pass.output());
          case LEAKY_RELU -> Functions.leakyReluBackward(outputGradient, pass.input(), slope);
          case GELU -> Functions.geluBackward(outputGradient, pass.input());
          case SIGMOID -> Functions.sigmoidBackward(outputGradient, pass.output());
          case TANH -> Functions.tanhBackward(outputGradient, pass.output());
          case SILU -> Functions.siluBackward(outputGradient, pass.input());
        });
  }
}
