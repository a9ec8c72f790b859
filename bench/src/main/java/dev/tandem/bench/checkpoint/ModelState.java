package dev.tandem.bench.checkpoint;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.posix.HugeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * What a network and SGD with momentum have to save: parameters, buffers and momentum, of the sizes
 * that the network has, filled with values that spread like weights.
 *
 * @param memory all tensors one after the other
 */
record ModelState(String name, StateTree tree, MemorySegment memory) {

  /** Every tensor begins at a multiple of this, as an engine's do. */
  private static final int ALIGNMENT = 64;

  private record Wanted(String name, Shape shape) {

    long bytes() {
      return shape.elements() * Float.BYTES;
    }
  }

  /** Memory is the arena's. */
  static ModelState of(String name, NetworkSpec spec, Arena arena) {
    List<Wanted> wanted = new ArrayList<>();
    for (ParameterSpec parameter : spec.parameters()) {
      wanted.add(new Wanted(parameter.name(), parameter.shape()));
      wanted.add(new Wanted("optimizer.momentum." + parameter.name(), parameter.shape()));
    }
    for (ParameterSpec buffer : spec.buffers()) {
      wanted.add(new Wanted(buffer.name(), buffer.shape()));
    }
    long bytes = wanted.stream().mapToLong(tensor -> roundUp(tensor.bytes())).sum();
    MemorySegment memory = HugeMemory.allocate(bytes, arena);
    fill(memory);
    List<TensorView> tensors = new ArrayList<>();
    long at = 0;
    for (Wanted tensor : wanted) {
      MemorySegment data = memory.asSlice(at, tensor.bytes());
      tensors.add(new TensorView(tensor.name(), DType.FLOAT32, tensor.shape(), data));
      at += roundUp(tensor.bytes());
    }
    return new ModelState(name, StateTree.of(tensors, Map.of("model", name)), memory);
  }

  private static long roundUp(long bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  /** Numbers around zero with random fractions: compressible only by their exponents. */
  private static void fill(MemorySegment memory) {
    SplittableRandom random = new Seed(7).random();
    for (long at = 0; at + Float.BYTES <= memory.byteSize(); at += Float.BYTES) {
      memory.set(ValueLayout.JAVA_FLOAT, at, (random.nextFloat() - 0.5f) * 0.1f);
    }
  }

  /** Whether every tensor has the same bytes as its namesake. */
  boolean sameTensors(ModelState other) {
    return tree.tensors().values().stream()
        .allMatch(
            tensor ->
                tensor.data().mismatch(other.tree().tensors().get(tensor.name()).data()) == -1);
  }

  long bytes() {
    return tree.byteSize();
  }
}
