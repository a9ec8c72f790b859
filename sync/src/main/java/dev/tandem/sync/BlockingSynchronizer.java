package dev.tandem.sync;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.TensorView;
import dev.tandem.sync.agent.Scaling;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The simplest right synchroniser: nothing moves before {@link #await}, which then reduces the
 * submitted gradients one after the other. A network that keeps its gradients in one buffer submits
 * that as one tensor and needs a single allreduce a step.
 */
public final class BlockingSynchronizer implements GradientSynchronizer {

  private final Communicator communicator;
  private final List<MemorySegment> pending = new ArrayList<>();

  public BlockingSynchronizer(Communicator communicator) {
    this.communicator = communicator;
  }

  @Override
  public void submit(TensorView gradient, float weight) {
    if (gradient.dtype() != DType.FLOAT32) {
      throw new IllegalArgumentException(
          "gradient %s is %s; only float32 can be summed"
              .formatted(gradient.name(), gradient.dtype()));
    }
    Scaling.scale(gradient.data(), gradient.dtype(), weight);
    pending.add(gradient.data());
  }

  @Override
  public void await() {
    for (MemorySegment segment : pending) {
      communicator.allreduce(segment, DType.FLOAT32, ReduceOp.SUM);
    }
    pending.clear();
  }

  @Override
  public void sum(TensorView tensor) {
    communicator.allreduce(tensor.data(), tensor.dtype(), ReduceOp.SUM);
  }
}
