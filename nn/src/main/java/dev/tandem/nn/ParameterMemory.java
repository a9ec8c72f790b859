package dev.tandem.nn;

import dev.tandem.core.TensorView;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * Where the parameters of a network and their gradients are, if a rank does not keep all of them:
 * it may keep some rows of a tensor and have the whole one only while a layer computes with it.
 *
 * <p>All memory is native and belongs to this until it is closed, which the network does. Called by
 * the thread that uses the network.
 */
public interface ParameterMemory extends AutoCloseable {

  /**
   * One view for each parameter, in the network's order and with its name.
   *
   * @param computing the whole tensors, which the passes of a layer use, each at a multiple of 64
   *     bytes; layers may share memory
   * @param updated what this rank's optimizer reads and writes of each: rows, maybe none
   * @param buffer the memory of all of {@code computing}, with zeros between them, if it is kept
   *     between passes
   */
  record Tensors(
      List<TensorView> computing, List<TensorView> updated, Optional<MemorySegment> buffer) {

    public Tensors {
      computing = List.copyOf(computing);
      updated = List.copyOf(updated);
    }

    /** Whether this rank keeps all between passes. */
    public boolean isWhole() {
      return buffer.isPresent();
    }

    /** What this rank keeps between passes. */
    public List<TensorView> kept() {
      return isWhole() ? computing : updated;
    }
  }

  Tensors parameters();

  Tensors gradients();

  /** The first row of a parameter that is updated. */
  long firstRow(int parameter);

  /** The first row after those that are updated. */
  long endRow(int parameter);

  /**
   * The layer whose first parameter has this number begins a forward pass: its parameters must be
   * there, and stay until the next call of this or {@link #beforeBackward}.
   */
  void beforeForward(int parameter);

  /** The same for a backward pass, which may write the layer's gradients, too. */
  void beforeBackward(int parameter);

  /** The optimizer has changed what it updates. */
  void updated();

  @Override
  void close();
}
