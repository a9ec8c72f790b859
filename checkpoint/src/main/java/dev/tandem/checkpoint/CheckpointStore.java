package dev.tandem.checkpoint;

import dev.tandem.core.StateTree;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps the states of one run. One thread at a time; all ranks that share the store save at the
 * same place of the program.
 */
public interface CheckpointStore {

  /**
   * What a run continues from.
   *
   * @param place where it was, for a person to read
   */
  record Restored(long step, Map<String, String> values, String place) {}

  /**
   * Saves this state under its step. A step that has one already is refused: the only good copy is
   * never written over. Whether the checkpoint survives a power loss when this returns, or later,
   * is for the implementation to say.
   *
   * @return where it is
   */
  default Path save(long step, StateTree state) {
    return save(step, SlicedState.whole(state));
  }

  /**
   * As {@link #save(long, StateTree)}, of tensors that may be parts of larger ones, and may still
   * be on their way.
   */
  Path save(long step, SlicedState state);

  /**
   * Returns when what was saved so far is committed; fails if the last of it could not be. A store
   * that commits before {@link #save} returns has nothing to wait for.
   */
  default void await() {}

  /**
   * Saves this state wherever the store keeps states, unless it is there already, and returns when
   * it is committed; all ranks that share the store do so at the same place of the program.
   *
   * @return where it is; empty if nothing had to be written
   */
  Optional<Path> keep(long step, SlicedState state);

  /** How long the last save that is known to be committed took to be written; 0 if none is. */
  default double writeSeconds() {
    return 0;
  }

  /** The steps that have a committed checkpoint, oldest first. */
  List<Long> steps();

  /**
   * Copies the tensors saved at this step into the same-named tensors of {@code state}, after
   * everything has been verified; on any failure {@code state} is untouched.
   *
   * @return the values saved beside the tensors
   */
  default Map<String, String> restore(long step, StateTree state) {
    return restore(step, SlicedState.whole(state));
  }

  /** As {@link #restore(long, StateTree)}, of tensors that may be parts of larger ones. */
  Map<String, String> restore(long step, SlicedState state);

  /**
   * Restores the newest checkpoint that is good for all ranks, each of which calls this; damaged
   * ones are reported, one line each, and passed over. Empty if there is no checkpoint at all; if
   * all are damaged it fails.
   */
  Optional<Restored> restoreNewest(SlicedState state);
}
