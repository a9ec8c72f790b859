package dev.tandem.checkpoint;

import dev.tandem.core.StateTree;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Keeps the states of one run. One thread at a time. */
public interface CheckpointStore {

  /**
   * Saves this state under its step; when it returns, the checkpoint survives a power loss. A step
   * that has one already is refused: the only good copy is never written over.
   *
   * @return where it is
   */
  Path save(long step, StateTree state);

  /** The steps that have a committed checkpoint, oldest first. */
  List<Long> steps();

  /**
   * Copies the tensors saved at this step into the same-named tensors of {@code state}, after
   * everything has been verified; on any failure {@code state} is untouched.
   *
   * @return the values saved beside the tensors
   */
  Map<String, String> restore(long step, StateTree state);
}
