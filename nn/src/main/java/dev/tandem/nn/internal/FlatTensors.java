package dev.tandem.nn.internal;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.engine.Accelerator;
import dev.tandem.nn.engine.Accelerator.Lane;
import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.ScalarType;
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
 *
 * <p>On a device the engine's tensors are apart: one piece of the device's memory with the same
 * places, but each tensor in the order that the device is fastest with. The views are a copy of the
 * host's, which {@link #download} and {@link #upload} bring in line; otherwise these do nothing.
 */
public final class FlatTensors implements AutoCloseable {

  static final long ALIGNMENT = 64;

  private final Optional<MemorySegment> buffer;
  private final List<TensorView> views;
  private final List<Tensor> tensors = new ArrayList<>();
  private final Optional<Tensor> everything;
  private final Accelerator device;
  private boolean pinned;
  private Accelerator.Mark copied;

  /** Room on the host for the parameters, each named with the prefix before its own name. */
  public FlatTensors(Arena arena, String prefix, DType dtype, List<ParameterSpec> parameters) {
    this(new Place(arena, null), prefix, dtype, parameters);
  }

  /** Room for the parameters, each named with the prefix before its own name. */
  public FlatTensors(Place place, String prefix, DType dtype, List<ParameterSpec> parameters) {
    this(
        place,
        dtype,
        parameters.stream().map(parameter -> prefix + parameter.name()).toList(),
        parameters.stream().map(ParameterSpec::shape).toList());
  }

  /**
   * Where tensors are.
   *
   * @param arena of the host's memory
   * @param device on which they are, too; null for none
   */
  public record Place(Arena arena, Accelerator device) {}

  /** Room for tensors of these names and shapes. */
  public FlatTensors(Place place, DType dtype, List<String> names, List<Shape> shapes) {
    device = place.device();
    long size = 0;
    for (Shape shape : shapes) {
      size += aligned(shape, dtype);
    }
    MemorySegment segment = place.arena().allocate(size, ALIGNMENT);
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
      Tensor all =
          device == null
              ? Torch.tensor(segment, dtype, size / dtype.bytes())
              : Tensor.zeros(ScalarType.of(dtype), size / dtype.bytes());
      everything = Optional.of(all.retain());
      tensors.addAll(device == null ? ofViews() : inFastOrder(all));
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
    device = null;
    try (Scope _ = new Scope()) {
      tensors.addAll(ofViews());
      everything = buffer.map(this::row);
    }
  }

  private List<Tensor> ofViews() {
    return views.stream()
        .map(view -> Torch.tensor(view.data(), view.dtype(), view.shape()).retain())
        .toList();
  }

  private Tensor row(MemorySegment segment) {
    DType dtype = views.getFirst().dtype();
    return Torch.tensor(segment, dtype, segment.byteSize() / dtype.bytes()).retain();
  }

  /**
   * Parts of a piece of memory with the same places as this has, in the order in which the engine
   * is fastest; retained.
   *
   * @param all of any type
   */
  List<Tensor> inFastOrder(Tensor all) {
    List<Tensor> parts = new ArrayList<>();
    for (TensorView view : views) {
      long[] extents = view.shape().toArray();
      parts.add(all.asStrided(extents, Torch.fastStrides(extents), first(view)).retain());
    }
    return parts;
  }

  private long first(TensorView view) {
    return (view.data().address() - buffer().address()) / view.dtype().bytes();
  }

  /** Where a tensor begins in the memory of all of them, in bytes. */
  public long offset(int parameter) {
    return views.get(parameter).data().address() - buffer().address();
  }

  /** The memory of all tensors and of the gaps between them, if it is one segment. */
  public MemorySegment buffer() {
    return buffer.orElseThrow(() -> new IllegalStateException("tensors in separate memory"));
  }

  public List<TensorView> views() {
    return views;
  }

  /** Where they are beside the host; null for nowhere. */
  Accelerator device() {
    return device;
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

  /** Brings the views in line with the device, and waits until they are. */
  public void download() {
    if (device == null || views.isEmpty()) {
      return;
    }
    pin();
    try (Scope _ = new Scope()) {
      Tensor rows = everything.orElseThrow();
      List<Integer> others = inOtherOrder();
      if (!others.isEmpty()) {
        rows = rows.copy();
        Functions.copyAll(rowMajor(rows, others), others.stream().map(tensors::get).toList());
      }
      device.copy(Lane.COMPUTE, buffer().address(), rows.address(), buffer().byteSize());
      awaitCopy();
    }
  }

  /** Brings the device in line with the views. */
  public void upload() {
    if (device == null || views.isEmpty()) {
      return;
    }
    pin();
    try (Scope _ = new Scope()) {
      Tensor all = everything.orElseThrow();
      device.copy(Lane.COMPUTE, all.address(), buffer().address(), buffer().byteSize());
      List<Integer> others = inOtherOrder();
      if (!others.isEmpty()) {
        Tensor rows = all.copy();
        Functions.copyAll(others.stream().map(tensors::get).toList(), rowMajor(rows, others));
      }
      awaitCopy();
    }
  }

  private void awaitCopy() {
    if (copied == null) {
      copied = device.mark(); // for the life of the process: one is used again and again
    }
    device.record(copied, Lane.COMPUTE);
    device.await(copied);
  }

  /** Tensors whose order on the device is not that of the views. */
  List<Integer> inOtherOrder() {
    List<Integer> others = new ArrayList<>();
    for (int i = 0; i < views.size(); i++) {
      if (Torch.reorders(views.get(i).shape())) {
        others.add(i);
      }
    }
    return others;
  }

  /** Parts of a piece of memory with the same places as this has, in the order of the views. */
  List<Tensor> rowMajor(Tensor all, List<Integer> which) {
    List<Tensor> parts = new ArrayList<>();
    for (int i : which) {
      long[] extents = views.get(i).shape().toArray();
      parts.add(all.asStrided(extents, Torch.rowMajorStrides(extents), first(views.get(i))));
    }
    return parts;
  }

  private void pin() {
    if (!pinned) {
      device.pin(buffer());
      pinned = true;
    }
  }

  /** Frees what the engine knows of the memory, not the memory of the host. */
  @Override
  public void close() {
    tensors.forEach(Tensor::release);
    everything.ifPresent(Tensor::release);
    if (pinned) {
      device.unpin(buffer());
    }
  }

  private static long aligned(Shape shape, DType dtype) {
    long bytes = Math.multiplyExact(shape.elements(), dtype.bytes());
    return Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
  }
}
