package dev.tandem.train;

import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.comm.Communicator;
import dev.tandem.core.Region;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.Optimizer;
import dev.tandem.sync.GradientSynchronizer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The state of a data-parallel run: network and optimizer, the same on all ranks, and the residuals
 * of each rank's compressed gradients. In a checkpoint residuals are tensors with a row for each
 * rank, of which a rank saves and restores its own; so such a run continues with as many ranks as
 * it had.
 */
record DataParallelState(
    Communicator communicator, Optimizer optimizer, GradientSynchronizer synchronizer) {

  /** Prefix of the names of residuals, before the name of the gradient. */
  static final String RESIDUAL = "residual.";

  /** The value that says how many rows these tensors have. */
  private static final String RANKS = "residual-ranks";

  /** Everything, as a checkpoint takes it; views of live memory. */
  SlicedState all(Map<String, String> values) {
    List<TensorView> residuals = synchronizer.residuals();
    if (residuals.isEmpty()) {
      return common(values);
    }
    Map<String, Region> slices = new HashMap<>(optimizer.stateRegions());
    TreeMap<String, TensorView> tensors = new TreeMap<>(optimizer.stateTree(values).tensors());
    for (TensorView residual : residuals) {
      String name = RESIDUAL + residual.name();
      long elements = residual.shape().elements();
      Shape row = Shape.of(1, elements);
      tensors.put(name, new TensorView(name, residual.dtype(), row, residual.data()));
      Region rows = Region.all(Shape.of(communicator.size(), elements));
      slices.put(name, rows.rows(communicator.rank(), communicator.rank() + 1L));
    }
    Map<String, String> more = new HashMap<>(values);
    more.put(RANKS, Integer.toString(communicator.size()));
    return new SlicedState(new StateTree(tensors, more), slices);
  }

  private SlicedState common(Map<String, String> values) {
    return new SlicedState(optimizer.stateTree(values), optimizer.stateRegions());
  }

  /**
   * What a run restores from its checkpoints: everything, or all but residuals if it was not
   * compressed so far. Refuses to continue with another number of ranks than those whose residuals
   * were saved.
   */
  SlicedState restorable(CheckpointStore checkpoints) {
    SlicedState all = all(Map.of());
    List<Long> steps = checkpoints.steps();
    if (synchronizer.residuals().isEmpty() || steps.isEmpty()) {
      return all;
    }
    Optional<Integer> ranks = ranks(checkpoints, steps.getLast());
    if (ranks.isEmpty()) {
      return common(Map.of());
    }
    if (ranks.get() != communicator.size()) {
      throw new UsageException(
          "the checkpoint has residuals of the compressed gradients of %d ranks: resume with %d ranks, not %d"
              .formatted(ranks.get(), ranks.get(), communicator.size()));
    }
    return all;
  }

  /** How many ranks' residuals a checkpoint has. */
  private Optional<Integer> ranks(CheckpointStore checkpoints, long step) {
    try {
      Map<String, String> values = checkpoints.restore(step, StateTree.of(List.of(), Map.of()));
      return Optional.ofNullable(values.get(RANKS)).map(Integer::valueOf);
    } catch (WorkFailedException e) {
      // Damaged: restoring reports it and looks for an older one.
      return Optional.of(communicator.size());
    }
  }
}
