package dev.tandem.nn.internal;

import dev.tandem.core.DType;
import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.Loss;
import java.lang.foreign.MemorySegment;

/** What the outputs of a batch cost; results belong to the caller's scope. */
public sealed interface LossFunction {

  /** The loss function of this name. */
  static LossFunction of(Loss loss) {
    return switch (loss) {
      case SOFTMAX_CROSS_ENTROPY -> new SoftmaxCrossEntropy();
      case MEAN_SQUARED_ERROR -> new MeanSquaredError();
    };
  }

  /** The targets of a batch in the memory that the caller gave. */
  Tensor targets(MemorySegment memory, DType dtype, long batch, long outputs);

  /** The mean loss of a batch, as a scalar. */
  Tensor meanLoss(Tensor outputs, Tensor targets);

  /** The gradient of the mean loss by the outputs. */
  Tensor gradient(Tensor outputs, Tensor targets);

  /** Outputs that are right; 0 where right and wrong mean nothing. */
  long correct(Tensor outputs, Tensor targets);

  /** Of outputs batch x classes and labels batch. */
  record SoftmaxCrossEntropy() implements LossFunction {

    @Override
    public Tensor targets(MemorySegment memory, DType dtype, long batch, long outputs) {
      return Torch.tensor(memory, DType.INT64, batch);
    }

    @Override
    public Tensor meanLoss(Tensor outputs, Tensor targets) {
      Tensor logShares = Functions.logSoftmax(exact(outputs), 1);
      Tensor picked = logShares.gather(1, column(targets));
      return picked.sum().div(-(double) outputs.size(0));
    }

    @Override
    public Tensor gradient(Tensor outputs, Tensor targets) {
      Tensor shares = Functions.softmax(exact(outputs), 1);
      Tensor column = column(targets);
      Tensor minusOne = shares.narrow(1, 0, 1).fullLike(-1);
      // The gradient of one sample's loss is share - 1 at the label, and share elsewhere.
      return shares
          .scatterAdd_(1, column, minusOne)
          .div_((double) outputs.size(0))
          .to(outputs.type());
    }

    @Override
    public long correct(Tensor outputs, Tensor targets) {
      return (long) outputs.argmax(1).eq(targets).sum().item();
    }

    private static Tensor column(Tensor targets) {
      return targets.reshape(targets.size(0), 1);
    }
  }

  /** Of outputs and targets batch x outputs. */
  record MeanSquaredError() implements LossFunction {

    @Override
    public Tensor targets(MemorySegment memory, DType dtype, long batch, long outputs) {
      return Torch.tensor(memory, dtype, batch, outputs);
    }

    @Override
    public Tensor meanLoss(Tensor outputs, Tensor targets) {
      Tensor difference = exact(outputs).sub(targets);
      return difference.mul(difference).sum().div((double) outputs.numel());
    }

    @Override
    public Tensor gradient(Tensor outputs, Tensor targets) {
      return exact(outputs).sub(targets).mul(2.0 / outputs.numel()).to(outputs.type());
    }

    @Override
    public long correct(Tensor outputs, Tensor targets) {
      return 0;
    }
  }

  /** Losses are computed in float32 at least. */
  private static Tensor exact(Tensor outputs) {
    return outputs.type() == ScalarType.BFLOAT16 ? outputs.to(ScalarType.FLOAT) : outputs;
  }
}
