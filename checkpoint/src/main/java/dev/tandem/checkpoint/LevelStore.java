package dev.tandem.checkpoint;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One of several places for the same run's checkpoints. All ranks call each method at the same
 * place of the program, except {@link #restore} and {@link #passOver}.
 */
interface LevelStore {

  /** Writes and commits a snapshot. */
  void put(Snapshot snapshot);

  /**
   * Removes what is not kept any longer, after a snapshot was committed. Rank 0 may still be at it
   * when the others continue.
   */
  void tidy();

  /** The steps that there is something of, as rank 0 sees it, oldest first. */
  List<Long> offered();

  /** Verifies what this rank needs of a step; returns why it is not good for this rank. */
  Optional<String> fault(long step, SlicedState state);

  /** Restores a step in which no rank found a fault; returns the values saved with it. */
  Map<String, String> restore(long step, SlicedState state);

  /** A checkpoint of this step is of no use to any rank, and a new one may take its place. */
  void passOver(long step);

  /** What a person calls it. */
  String name();
}
