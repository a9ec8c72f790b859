package dev.tandem.nn.internal;

import dev.tandem.core.Shape;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.Exchange;
import java.util.List;

/** Where the parts of a split network meet: two movements, one the adjoint of the other. */
final class ExchangeLayer implements Layer {

  private final Exchange.Role role;
  private final MovementRun forward;
  private final MovementRun backward;

  /**
   * A layer in the engine.
   *
   * @param input the shape of a sample before it; null if the role has no input
   */
  ExchangeLayer(Exchange spec, Shape input, LayerTensors tensors) {
    role = spec.role();
    Shape result = role == Exchange.Role.SEND ? null : spec.shape();
    forward = new MovementRun(spec, spec.forward(), result, tensors);
    backward = new MovementRun(spec, spec.backward(), input, tensors);
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    return forward(inputs, mode, false);
  }

  @Override
  public Pass forwardOver(List<Tensor> inputs, Mode mode) {
    return forward(inputs, mode, true);
  }

  private Pass forward(List<Tensor> inputs, Mode mode, boolean over) {
    Tensor source = inputs.isEmpty() ? null : inputs.getFirst();
    return new Pass(inputs, forward.run(source, mode.samples(), over), List.of(), mode.samples());
  }

  /** The gradient by the input, if there is one; a send has none behind it. */
  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    Tensor result = backward.run(outputGradient, pass.number(), false);
    return role == Exchange.Role.RECEIVE ? List.of() : List.of(result);
  }
}
