package dev.tandem.nn;

import dev.tandem.core.Region;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import java.util.List;
import java.util.Map;

/**
 * Changes the parameters of one network by its gradients.
 *
 * <p>Owns the memory of its state until closed; close it before its network. Used by the thread
 * that uses the network.
 */
public interface Optimizer extends AutoCloseable {

  /** One update with the gradients that are in the network's buffer, already averaged. */
  void step(double learningRate);

  /** The tensors that the optimizer keeps between steps: views of live memory. */
  List<TensorView> state();

  /**
   * All that must be kept to go on from here as if nothing had happened: views of the network's
   * parameters and buffers, of this optimizer's state, and the caller's own values. Copying saved
   * bytes into these views, and then calling {@link #stateChanged}, restores a run in place.
   */
  StateTree stateTree(Map<String, String> values);

  /**
   * The same state as it is now, for a checkpoint. On a device it is copied while the caller goes
   * on; the next call waits until this copy is {@link dev.tandem.core.Arrival#done}.
   */
  StateCopy stateCopy(Map<String, String> values);

  /** The views of {@link #stateTree} were written: a device takes what is in them. */
  void stateChanged();

  /**
   * Which region of a whole network's state each tensor of {@link #stateTree} is, by its name;
   * those that are not named are whole. Optimizer state has the region of what is updated of its
   * parameter.
   */
  Map<String, Region> stateRegions();

  @Override
  void close();
}
