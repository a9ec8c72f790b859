package dev.tandem.train;

import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.checkpoint.Slice;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.comm.Communicator;
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
 * What a run must keep: network and optimizer, the same on all ranks, and what compressed gradients
 * of each rank left behind. In a checkpoint the latter are tensors with a row for each rank, of
 * which a rank saves and restores its own; so such a run goes on with as many ranks as it had.
 */
record RunState(Communicator communicator, Optimizer optimizer, GradientSynchronizer synchronizer) {

  /** What tensors of gradients left behind are called, before the name of the gradient. */
  static final String RESIDUAL = "residual.";

  /** The value that says how many rows these tensors have. */
  private static final String RANKS = "residual-ranks";

  static RunState of(Trainer.Parts parts) {
    return new RunState(parts.communicator(), parts.optimizer(), parts.synchronizer());
  }

  /** What all ranks have the same bits of. */
  StateTree common(Map<String, String> values) {
    return optimizer.stateTree(values);
  }

  /** Everything, as a checkpoint takes it; views of live memory. */
  SlicedState all(Map<String, String> values) {
    List<TensorView> residuals = synchronizer.residuals();
    StateTree common = common(values);
    if (residuals.isEmpty()) {
      return SlicedState.whole(common);
    }
    Map<String, Slice> slices = new HashMap<>();
    TreeMap<String, TensorView> tensors = new TreeMap<>(common.tensors());
    for (TensorView residual : residuals) {
      String name = RESIDUAL + residual.name();
      long elements = residual.shape().elements();
      Shape row = Shape.of(1, elements);
      tensors.put(name, new TensorView(name, residual.dtype(), row, residual.data()));
      Shape rows = Shape.of(communicator.size(), elements);
      slices.put(name, new Slice(rows, List.of((long) communicator.rank(), 0L)));
    }
    Map<String, String> more = new HashMap<>(values);
    more.put(RANKS, Integer.toString(communicator.size()));
    return new SlicedState(new StateTree(tensors, more), slices);
  }

  /**
   * What a run takes from its checkpoints: everything, or without residuals if it was not
   * compressed so far, in which case nothing was left behind. Refuses to go on with another number
   * of ranks than those whose residuals were saved.
   */
  SlicedState restorable(CheckpointStore checkpoints) {
    SlicedState all = all(Map.of());
    List<Long> steps = checkpoints.steps();
    if (all.slices().isEmpty() || steps.isEmpty()) {
      return all;
    }
    Optional<Integer> ranks = ranks(checkpoints, steps.getLast());
    if (ranks.isEmpty()) {
      return SlicedState.whole(common(Map.of()));
    }
    if (ranks.get() != communicator.size()) {
      throw new UsageException(
          "the run compresses gradients, and what each of its %d ranks has not sent yet is in the checkpoint: resume with %d ranks, not %d"
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
      // Damaged: whoever restores says so and looks for an older one.
      return Optional.of(communicator.size());
    }
  }
}
