package dev.tandem.nn.internal;

import dev.tandem.nn.spec.Activation;
import java.util.List;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

/** A function of each element. */
final class ActivationLayer implements Layer {

  private final Activation.Function function;
  private final Scalar slope;

  ActivationLayer(Activation spec) {
    function = spec.function();
    slope = new Scalar(spec.slope());
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    Tensor output =
        switch (function) {
          case RELU -> VectorUnit.serves(input) ? VectorRelu.forward(input) : torch.relu(input);
          case LEAKY_RELU -> torch.leaky_relu(input, slope);
          case GELU -> torch.gelu(input);
          case SIGMOID -> torch.sigmoid(input);
          case TANH -> torch.tanh(input);
          case SILU -> torch.silu(input);
        };
    return new Pass(input, output);
  }

  @Override
  public Pass forwardOver(List<Tensor> inputs, Mode mode) {
    if (function != Activation.Function.RELU) {
      return forward(inputs, mode); // their backward passes need the input, or they are rare
    }
    Tensor input = inputs.getFirst();
    if (VectorUnit.serves(input) && input.is_contiguous(MemoryFormat.ChannelsLast)) {
      VectorRelu.forwardOver(input);
      return new Pass(input, Torch.own(input));
    }
    // What comes back is the input's own handle, which goes with the layer before.
    return new Pass(input, Torch.own(torch.relu_(input)));
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    return List.of(
        switch (function) {
          case RELU ->
              VectorUnit.serves(outputGradient)
                  ? VectorRelu.backward(pass.output(), outputGradient)
                  : torch.threshold_backward(outputGradient, pass.output(), slope);
          case LEAKY_RELU -> torch.leaky_relu_backward(outputGradient, pass.input(), slope, false);
          case GELU -> torch.gelu_backward(outputGradient, pass.input());
          case SIGMOID -> torch.sigmoid_backward(outputGradient, pass.output());
          case TANH -> torch.tanh_backward(outputGradient, pass.output());
          case SILU -> torch.silu_backward(outputGradient, pass.input());
        });
  }

  @Override
  public void close() {
    slope.close();
  }
}
