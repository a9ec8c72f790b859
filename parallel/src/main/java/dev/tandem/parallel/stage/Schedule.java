package dev.tandem.parallel.stage;

import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.List;

/**
 * In which order a stage makes the passes of a step's pieces. Backward passes always ascend, so the
 * sums of gradients have the same bits under all schedules.
 */
public sealed interface Schedule {

  /** What a user writes for {@link OneForwardOneBackward}. */
  String ONE_FORWARD_ONE_BACKWARD = "1f1b";

  /** Which way a pass goes. */
  enum Direction {
    FORWARD,
    BACKWARD
  }

  /** One pass of a piece through a stage. */
  record Pass(Direction direction, int piece) {}

  /** All forward passes, then all backward passes. */
  record Gpipe() implements Schedule {

    @Override
    public int ahead(int stage, int stages, int pieces) {
      return pieces;
    }
  }

  /** A backward pass as soon as it can be: a stage has no more pieces open than stages follow. */
  record OneForwardOneBackward() implements Schedule {

    @Override
    public int ahead(int stage, int stages, int pieces) {
      return Math.min(pieces, stages - 1 - stage);
    }
  }

  /** The whole step as one piece: one stage works at a time. */
  record Sequential() implements Schedule {

    @Override
    public int pieces(int microBatches, int samples) {
      return 1;
    }

    @Override
    public int ahead(int stage, int stages, int pieces) {
      return 0;
    }
  }

  /** The schedule of a word: {@code gpipe}, {@code 1f1b} or {@code sequential}. */
  static Schedule of(String word) {
    return switch (word) {
      case "gpipe" -> new Gpipe();
      case ONE_FORWARD_ONE_BACKWARD -> new OneForwardOneBackward();
      case "sequential" -> new Sequential();
      default ->
          throw new UsageException(
              "pipeline.schedule must be gpipe, 1f1b or sequential, not '%s'".formatted(word));
    };
  }

  /**
   * Forward passes that a stage makes before it begins to make forward and backward passes by
   * turns.
   *
   * @param stage from 0
   */
  int ahead(int stage, int stages, int pieces);

  /**
   * The passes of a stage: forward passes of the first pieces, then by turns, then backward passes
   * of the last.
   */
  default List<Pass> order(int stage, int stages, int pieces) {
    int first = ahead(stage, stages, pieces);
    List<Pass> order = new ArrayList<>();
    for (int piece = 0; piece < first; piece++) {
      order.add(new Pass(Direction.FORWARD, piece));
    }
    for (int piece = 0; piece < pieces; piece++) {
      if (first + piece < pieces) {
        order.add(new Pass(Direction.FORWARD, first + piece));
      }
      order.add(new Pass(Direction.BACKWARD, piece));
    }
    return order;
  }

  /** Into how many pieces the samples of a step are cut. */
  default int pieces(int microBatches, int samples) {
    return Math.min(microBatches, samples);
  }

  /** Pieces that a stage has open at most: forward is done, backward is not. */
  default int open(int stage, int stages, int pieces) {
    return Math.min(pieces, ahead(stage, stages, pieces) + 1);
  }

  /** The share of its time that a stage waits, if all stages and pieces take equally long. */
  static double idleShare(int stages, int pieces) {
    return (stages - 1.0) / (pieces + stages - 1.0);
  }
}
