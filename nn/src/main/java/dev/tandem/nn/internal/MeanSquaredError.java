package dev.tandem.nn.internal;

import dev.tandem.nn.Loss;
import dev.tandem.nn.engine.Tensor;

/** Of outputs and targets batch x outputs; computed in float32 at least. */
public record MeanSquaredError() implements Loss {

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
