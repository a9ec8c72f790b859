package dev.tandem.parallel.shard;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.Handle;
import dev.tandem.comm.collective.Collectives;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import dev.tandem.core.TensorView;
import dev.tandem.nn.ParameterMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * Sums whole gradients over ranks, one after the other as they become ready, so that each rank gets
 * its rows. What it sums of one parameter again before {@link #await} is added.
 */
final class GradientScatter {

  private final Communicator group;
  private final Map<String, Communicator> sums;
  private final List<RowCut> cuts;
  private final ParameterMemory.Tensors gradients;
  private final List<List<Handle>> underWay = new ArrayList<>();
  private final BitSet summed = new BitSet();
  private final LongFunction<MemorySegment> allocation;
  private MemorySegment scratch = MemorySegment.NULL;

  /**
   * Nothing is under way.
   *
   * @param sums where a gradient is summed before, by its name
   * @param allocation gives memory for rows that are added, if there are such
   */
  GradientScatter(
      Communicator group,
      Map<String, Communicator> sums,
      List<RowCut> cuts,
      ParameterMemory.Tensors gradients,
      LongFunction<MemorySegment> allocation) {
    this.group = group;
    this.sums = sums;
    this.cuts = cuts;
    this.gradients = gradients;
    this.allocation = allocation;
    for (int i = 0; i < LayerWindows.COUNT; i++) {
      underWay.add(new ArrayList<>());
    }
  }

  /** Starts with a gradient of a layer, which is borrowed until the layer's window is free. */
  void start(int layer, int parameter) {
    boolean adds = summed.get(parameter);
    summed.set(parameter);
    if (adds && scratch.byteSize() == 0) {
      long longest =
          gradients.updated().stream().mapToLong(TensorView::byteSize).max().orElseThrow();
      scratch = allocation.apply(longest);
    }
    underWay
        .get(LayerWindows.window(layer))
        .add(group.start(ranks -> scatter(ranks, parameter, adds)));
  }

  private void scatter(Collectives ranks, int parameter, boolean adds) {
    TensorView whole = gradients.computing().get(parameter);
    MemorySegment rows = gradients.updated().get(parameter).data();
    DType dtype = whole.dtype();
    Communicator before = sums.get(whole.name());
    if (before != null) {
      before.allreduce(whole.data(), dtype, ReduceOp.SUM);
    }
    MemorySegment mine = adds ? scratch.asSlice(0, rows.byteSize()) : rows;
    ranks.reduceScatter(whole.data(), mine, cuts.get(parameter).lengths(), dtype, ReduceOp.SUM);
    if (adds) {
      new Reduction(dtype, ReduceOp.SUM).reduce(List.of(rows, mine), rows);
    }
  }

  /** Returns when the window of a layer is free. */
  void awaitWindow(int layer) {
    List<Handle> window = underWay.get(LayerWindows.window(layer));
    window.forEach(Handle::await);
    window.clear();
  }

  /** Returns when all rows are there; what is summed from now on replaces them. */
  void await() {
    for (int i = 0; i < LayerWindows.COUNT; i++) {
      awaitWindow(i);
    }
    summed.clear();
  }
}
