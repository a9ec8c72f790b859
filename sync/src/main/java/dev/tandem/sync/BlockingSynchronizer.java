package dev.tandem.sync;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.TensorView;
import dev.tandem.sync.agent.Scaling;
import java.util.ArrayList;
import java.util.List;

/**
 * The simplest right synchroniser: nothing moves before {@link #await}, which then reduces the
 * submitted gradients one after the other. A network that keeps its gradients in one buffer submits
 * that as one tensor and needs a single allreduce a step.
 */
public final class BlockingSynchronizer implements GradientSynchronizer {

  private final Communicator communicator;
  private final List<TensorView> pending = new ArrayList<>();

  public BlockingSynchronizer(Communicator communicator) {
    this.communicator = communicator;
  }

  @Override
  public void submit(TensorView gradient, float weight) {
    if (gradient.dtype() != DType.FLOAT32 && gradient.dtype() != DType.FLOAT64) {
      throw new IllegalArgumentException(
          "gradient %s is %s; only float32 and float64 can be summed"
              .formatted(gradient.name(), gradient.dtype()));
    }
    Scaling.scale(gradient.data(), gradient.dtype(), weight);
    pending.add(gradient);
  }

  @Override
  public void await() {
    pending.forEach(this::sum);
    pending.clear();
  }

  @Override
  public void sum(TensorView tensor) {
    communicator.allreduce(tensor.data(), tensor.dtype(), ReduceOp.SUM);
  }
}
