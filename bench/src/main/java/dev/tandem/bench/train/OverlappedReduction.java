package dev.tandem.bench.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.Handle;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.TensorView;
import dev.tandem.nn.GradientListener;
import dev.tandem.nn.Gradients;
import dev.tandem.nn.Network;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Averages gradients over the ranks while the backward pass goes on. The pass comes from the end of
 * the network's gradient buffer to its start, so what is ready is always the end of that buffer:
 * whenever enough of it is new, it is reduced where it lies.
 */
final class OverlappedReduction implements GradientListener {

  private static final long BUCKET_BYTES = 4 << 20;

  private final Communicator communicator;
  private final Network network;
  private final MemorySegment buffer;
  private final Deque<Handle> under = new ArrayDeque<>();
  private long started;
  private long ready;

  OverlappedReduction(Communicator communicator, Network network) {
    this.communicator = communicator;
    this.network = network;
    buffer = network.gradientBuffer();
    started = buffer.byteSize();
    ready = started;
  }

  /** Whether there is anybody else. */
  boolean needed() {
    return communicator.size() > 1;
  }

  @Override
  public void ready(int shard, int parameter, TensorView gradient) {
    ready = Math.min(ready, gradient.data().address() - buffer.address());
    if (started - ready >= BUCKET_BYTES) {
      start();
    }
  }

  private void start() {
    MemorySegment part = buffer.asSlice(ready, started - ready);
    under.add(communicator.start(ranks -> ranks.allreduce(part, DType.FLOAT32, ReduceOp.SUM)));
    started = ready;
  }

  /** Waits until the buffer holds the average over all ranks. */
  void await() {
    if (ready < started) {
      start();
    }
    while (!under.isEmpty()) {
      under.remove().await();
    }
    Gradients.scale(network, 1.0 / communicator.size());
    started = buffer.byteSize();
    ready = started;
  }
}
