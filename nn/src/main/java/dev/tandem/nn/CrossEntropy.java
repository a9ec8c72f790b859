package dev.tandem.nn;

import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.internal.Torch;

/** Of outputs batch x classes and labels batch; computed in float32 at least. */
record CrossEntropy() implements Loss {

  @Override
  public Target target() {
    return Target.LABEL;
  }

  @Override
  public Tensor meanLoss(Tensor outputs, Tensor targets) {
    Tensor logShares = Functions.logSoftmax(Torch.exact(outputs), 1);
    Tensor picked = logShares.gather(1, column(targets));
    return picked.sum().div(-(double) outputs.size(0));
  }

  @Override
  public Tensor gradient(Tensor outputs, Tensor targets) {
    Tensor shares = Functions.softmax(Torch.exact(outputs), 1);
    Tensor column = column(targets);
    Tensor minusOne = shares.narrow(1, 0, 1).fullLike(-1);
    // The gradient of one sample's loss is share - 1 at the label, and share elsewhere.
    return shares
        .scatterAdd_(1, column, minusOne)
        .div_((double) outputs.size(0))
        .to(outputs.type());
  }

  private static Tensor column(Tensor targets) {
    return targets.reshape(targets.size(0), 1);
  }
}
