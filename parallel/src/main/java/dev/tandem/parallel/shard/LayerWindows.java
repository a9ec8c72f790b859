package dev.tandem.parallel.shard;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.ParameterSpec;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Two pieces of memory in which whole tensors of layers take turns: the tensors of layer i are in
 * window i mod 2, so that those of its neighbours can come or go while it computes.
 */
final class LayerWindows {

  /** Number of windows. */
  static final int COUNT = 2;

  private LayerWindows() {}

  /** The window of a layer. */
  static int window(int layer) {
    return layer % COUNT;
  }

  /** Tensors for the parameters of layers, in windows that are allocated for them. */
  static List<TensorView> views(
      DType dtype, List<List<ParameterSpec>> layers, LongFunction<MemorySegment> allocation) {
    long[] sizes = sizes(dtype, layers);
    List<MemorySegment> windows = new ArrayList<>();
    for (long size : sizes) {
      windows.add(allocation.apply(size));
    }
    List<TensorView> views = new ArrayList<>();
    for (int i = 0; i < layers.size(); i++) {
      List<ParameterSpec> layer = layers.get(i);
      views.addAll(AlignedTensors.views(windows.get(window(i)), dtype, layer, shapes(layer)));
    }
    return views;
  }

  /** Bytes of each window. */
  static long[] sizes(DType dtype, List<List<ParameterSpec>> layers) {
    long[] sizes = new long[COUNT];
    for (int i = 0; i < layers.size(); i++) {
      long needed = AlignedTensors.bytes(dtype, shapes(layers.get(i)));
      sizes[window(i)] = Math.max(sizes[window(i)], needed);
    }
    return sizes;
  }

  private static List<Shape> shapes(List<ParameterSpec> layer) {
    return layer.stream().map(ParameterSpec::shape).toList();
  }
}
