package dev.tandem.nn.internal;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.ParameterSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * One tensor for each parameter, seen by us as views and by the engine as tensors: all in one
 * contiguous segment, or where others have put them.
 *
 * <p>The memory of the segment belongs to the arena and starts as zeros. Each tensor starts at a
 * multiple of 64 bytes, so that the engine's vector kernels take the same path in every process;
 * the gaps stay zero.
 */
public final class FlatTensors implements AutoCloseable {

  private static final long ALIGNMENT = 64;

  private final Optional<MemorySegment> buffer;
  private final List<TensorView> views;
  private final List<Tensor> tensors = new ArrayList<>();
  private final Optional<Tensor> everything;

  /** Room for the parameters, each named with the prefix before its own name. */
  public FlatTensors(Arena arena, String prefix, DType dtype, List<ParameterSpec> parameters) {
    this(
        arena,
        dtype,
        parameters.stream().map(parameter -> prefix + parameter.name()).toList(),
        parameters.stream().map(ParameterSpec::shape).toList());
  }

  /** Room for tensors of these names and shapes. */
  public FlatTensors(Arena arena, DType dtype, List<String> names, List<Shape> shapes) {
    long size = 0;
    for (Shape shape : shapes) {
      size += aligned(shape, dtype);
    }
    MemorySegment segment = arena.allocate(size, ALIGNMENT);
    buffer = Optional.of(segment);
    List<TensorView> slices = new ArrayList<>();
    long offset = 0;
    for (int i = 0; i < shapes.size(); i++) {
      Shape shape = shapes.get(i);
      MemorySegment slice = segment.asSlice(offset, shape.elements() * dtype.bytes(), ALIGNMENT);
      slices.add(new TensorView(names.get(i), dtype, shape, slice));
      offset += aligned(shape, dtype);
    }
    views = List.copyOf(slices);
    try (Scope _ = new Scope()) {
      for (TensorView view : views) {
        tensors.add(Torch.tensor(view.data(), dtype, view.shape()).retain());
      }
      everything = Optional.of(Torch.tensor(segment, dtype, size / dtype.bytes()).retain());
    }
  }

  /**
   * Tensors that are where these views are.
   *
   * @param buffer the memory of all of them and of zeros between them, if there is such
   */
  public FlatTensors(List<TensorView> views, Optional<MemorySegment> buffer) {
    this.views = List.copyOf(views);
    this.buffer = buffer;
    try (Scope _ = new Scope()) {
      for (TensorView view : views) {
        tensors.add(Torch.tensor(view.data(), view.dtype(), view.shape()).retain());
      }
      everything = buffer.map(this::row);
    }
  }

  private Tensor row(MemorySegment segment) {
    DType dtype = views.getFirst().dtype();
    return Torch.tensor(segment, dtype, segment.byteSize() / dtype.bytes()).retain();
  }

  /** The memory of all tensors and of the gaps between them, if it is one segment. */
  public MemorySegment buffer() {
    return buffer.orElseThrow(() -> new IllegalStateException("tensors in separate memory"));
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

  /** All tensors and the zeros between them as one row, if they are one segment. */
  public Optional<Tensor> everything() {
    return everything;
  }

  /** Frees what the engine knows of the memory, not the memory. */
  @Override
  public void close() {
    tensors.forEach(Tensor::release);
    everything.ifPresent(Tensor::release);
  }

  private static long aligned(Shape shape, DType dtype) {
    long bytes = Math.multiplyExact(shape.elements(), dtype.bytes());
    return Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
  }
}
