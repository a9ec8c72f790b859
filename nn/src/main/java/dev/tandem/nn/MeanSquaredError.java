package dev.tandem.nn;

import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.internal.Torch;

/** Of outputs and targets batch x outputs; computed in float32 at least. */
record MeanSquaredError() implements Loss {

  @Override
  public Target target() {
    return Target.VALUES;
  }

  @Override
  public Tensor meanLoss(Tensor outputs, Tensor targets) {
    Tensor difference = Torch.exact(outputs).sub(targets);
    return difference.mul(difference).sum().div((double) outputs.numel());
  }

  @Override
  public Tensor gradient(Tensor outputs, Tensor targets) {
    return Torch.exact(outputs).sub(targets).mul(2.0 / outputs.numel()).to(outputs.type());
  }
}
