package dev.tandem.nn.internal;

import dev.tandem.core.TensorView;
import dev.tandem.nn.engine.Accelerator;
import dev.tandem.nn.engine.Accelerator.Lane;
import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A copy of tensors of a device: made there, in the order of the views, and brought to memory of
 * the host that is the arena's.
 */
public final class FlatCopy implements AutoCloseable {

  private final Accelerator device;
  private final Tensor source;
  private final Tensor row;
  private final List<Tensor> from = new ArrayList<>();
  private final List<Tensor> to = new ArrayList<>();
  private final MemorySegment host;
  private final List<TensorView> views = new ArrayList<>();

  /**
   * Room for a copy of these.
   *
   * @param arena of memory that the device can reach by itself
   */
  public FlatCopy(FlatTensors tensors, Arena arena) {
    device = tensors.device();
    source = tensors.everything().orElseThrow();
    host = arena.allocate(tensors.buffer().byteSize(), FlatTensors.ALIGNMENT);
    for (int i = 0; i < tensors.views().size(); i++) {
      TensorView view = tensors.views().get(i);
      MemorySegment part = host.asSlice(tensors.offset(i), view.byteSize());
      views.add(new TensorView(view.name(), view.dtype(), view.shape(), part));
    }
    try (Scope _ = new Scope()) {
      row = source.copy().retain();
      List<Integer> others = tensors.inOtherOrder();
      others.forEach(i -> from.add(tensors.tensor(i)));
      tensors.rowMajor(row, others).forEach(part -> to.add(part.retain()));
    }
  }

  /** Makes the copy, in the lane of the calling thread. */
  public void make() {
    row.copy_(source);
    if (!to.isEmpty()) {
      Functions.copyAll(to, from);
    }
  }

  /** Brings it to the host when it is its turn in this lane. */
  public void bring(Lane lane) {
    device.copy(lane, host.address(), row.address(), host.byteSize());
  }

  /** The tensors by their names, on the host. */
  public List<TensorView> views() {
    return views;
  }

  /** Frees the device's memory. */
  @Override
  public void close() {
    to.forEach(Tensor::release);
    row.release();
  }
}
