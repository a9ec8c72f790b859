package dev.tandem.nn;

import dev.tandem.core.Arrival;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.nn.engine.Accelerator;
import dev.tandem.nn.engine.Accelerator.Lane;
import dev.tandem.nn.engine.Accelerator.Mark;
import dev.tandem.nn.internal.FlatCopy;
import dev.tandem.nn.internal.FlatTensors;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;

/**
 * Takes a state off a device while the device goes on: a copy is made there between two steps, and
 * brought to the host beside the next ones. There is memory for one copy at a time. Used by the
 * thread that uses the network; arrivals by any.
 */
final class StateCopies implements AutoCloseable {

  private final Accelerator device;
  private final Arena arena;
  private final List<FlatCopy> copies;
  private final List<TensorView> onHost = new ArrayList<>();
  private final List<TensorView> onHostCopied = new ArrayList<>();
  private final Mark made;
  private final Mark brought;
  private final Semaphore free = new Semaphore(1);

  /**
   * Room for copies.
   *
   * @param tensors on the device
   * @param values tensors that are on the host alone
   */
  StateCopies(Accelerator device, List<FlatTensors> tensors, List<TensorView> values) {
    this.device = device;
    made = device.mark();
    brought = device.mark();
    arena = new PinnedArena(device);
    copies =
        tensors.stream()
            .filter(each -> !each.views().isEmpty())
            .map(each -> new FlatCopy(each, arena))
            .toList();
    for (TensorView value : values) {
      onHost.add(value);
      onHostCopied.add(
          new TensorView(
              value.name(), value.dtype(), value.shape(), arena.allocate(value.byteSize(), 64)));
    }
  }

  /** Begins to copy the state as it is now; waits until the copy before is no longer read. */
  StateCopy take(Map<String, String> values) {
    free.acquireUninterruptibly();
    List<TensorView> tensors = new ArrayList<>(onHostCopied);
    for (int i = 0; i < onHost.size(); i++) {
      onHostCopied.get(i).data().copyFrom(onHost.get(i).data());
    }
    for (FlatCopy copy : copies) {
      copy.make();
      tensors.addAll(copy.views());
    }
    device.record(made, Lane.COMPUTE);
    device.follow(Lane.DOWNLOAD, made);
    copies.forEach(copy -> copy.bring(Lane.DOWNLOAD));
    device.record(brought, Lane.DOWNLOAD);
    return new StateCopy(StateTree.of(tensors, values), new Brought());
  }

  private final class Brought implements Arrival {
    @Override
    public void await() {
      device.await(brought);
    }

    @Override
    public void done() {
      free.release();
    }
  }

  @Override
  public void close() {
    arena.close(); // waits for what is under way
    copies.forEach(FlatCopy::close);
  }
}
