package dev.tandem.nn;

import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** The loss: minus the logarithm of the share that the softmax of the scores gives the label. */
final class SoftmaxCrossEntropy {

  private SoftmaxCrossEntropy() {}

  /** The mean loss of a batch and its gradient by the scores. */
  record Result(double meanLoss, Tensor scoreGradient) {}

  // scores: batch x classes; labels: batch
  static Result meanLoss(Tensor scores, Tensor labels) {
    long batch = scores.size(0);
    Tensor logShares = torch.log_softmax(scores, 1);
    Tensor column = labels.reshape(batch, 1);
    Tensor picked = logShares.gather(1, column);
    Tensor minusOne = torch.full_like(picked, new Scalar(-1.0));
    // The gradient of one sample's loss is share - 1 at the label, and share elsewhere.
    Tensor gradient =
        logShares.exp().scatter_add_(1, column, minusOne).div_(new Scalar((double) batch));
    return new Result(-picked.sum().item_double() / batch, gradient);
  }

  static Evaluation evaluate(Tensor scores, Tensor labels) {
    long batch = scores.size(0);
    Tensor picked = torch.log_softmax(scores, 1).gather(1, labels.reshape(batch, 1));
    long correct = scores.argmax(new LongOptional(1), false).eq(labels).sum().item_long();
    return new Evaluation(batch, correct, -picked.sum().item_double());
  }
}
