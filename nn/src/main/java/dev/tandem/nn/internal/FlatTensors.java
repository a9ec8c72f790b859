package dev.tandem.nn.internal;

import dev.tandem.core.DType;
import dev.tandem.core.TensorView;
import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.ParameterSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One tensor for each parameter, all in one contiguous segment, seen by us as views and by the
 * engine as tensors.
 *
 * <p>The memory belongs to the arena and starts as zeros. Each tensor starts at a multiple of 64
 * bytes, so that the engine's vector kernels take the same path in every process; the gaps stay
 * zero.
 */
public final class FlatTensors implements AutoCloseable {

  private static final long ALIGNMENT = 64;

  private final MemorySegment buffer;
  private final List<TensorView> views;
  private final List<Tensor> tensors = new ArrayList<>();
  private final Tensor everything;

  /** Room for the parameters, each named with the prefix before its own name. */
  public FlatTensors(Arena arena, String prefix, DType dtype, List<ParameterSpec> parameters) {
    long size = 0;
    for (ParameterSpec parameter : parameters) {
      size += aligned(parameter, dtype);
    }
    buffer = arena.allocate(size, ALIGNMENT);
    List<TensorView> slices = new ArrayList<>();
    long offset = 0;
    for (ParameterSpec parameter : parameters) {
      long bytes = parameter.shape().elements() * dtype.bytes();
      MemorySegment slice = buffer.asSlice(offset, bytes, ALIGNMENT);
      slices.add(new TensorView(prefix + parameter.name(), dtype, parameter.shape(), slice));
      offset += aligned(parameter, dtype);
    }
    views = List.copyOf(slices);
    try (Scope _ = new Scope()) {
      for (TensorView view : views) {
        tensors.add(Torch.tensor(view.data(), dtype, view.shape()).retain());
      }
      everything = Torch.tensor(buffer, dtype, size / dtype.bytes()).retain();
    }
  }

  /** The memory of all tensors and of the gaps between them. */
  public MemorySegment buffer() {
    return buffer;
  }

  public List<TensorView> views() {
    return views;
  }

  public Tensor tensor(int parameter) {
    return tensors.get(parameter);
  }

  public List<Tensor> tensors() {
    return Collections.unmodifiableList(tensors);
  }

  /** All tensors and the zeros between them as one row. */
  public Tensor everything() {
    return everything;
  }

  /** Frees what the engine knows of the memory, not the memory. */
  @Override
  public void close() {
    tensors.forEach(Tensor::release);
    everything.release();
  }

  private static long aligned(ParameterSpec parameter, DType dtype) {
    long bytes = Math.multiplyExact(parameter.shape().elements(), dtype.bytes());
    return Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
  }
}
