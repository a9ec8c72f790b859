package dev.tandem.parallel.stage;

import dev.tandem.nn.Network;
import dev.tandem.nn.OpenRun;
import dev.tandem.nn.Samples;
import dev.tandem.nn.TrainingStep;
import dev.tandem.parallel.stage.Schedule.Direction;
import dev.tandem.parallel.stage.Schedule.Pass;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The training steps of one stage: the passes of all pieces in the order of a schedule, whose
 * gradients add up. All stages run the same steps. One thread; everything that it is given stays
 * its owner's.
 */
public final class StageRun {

  /**
   * One of the pieces into which a step is cut.
   *
   * @param count samples, maybe none
   * @param samples hands them out; they stay as they are until the step is done
   * @param step whose first sample is that of the piece; its listener is told of its answers, and
   *     of gradients, which are complete in the last piece
   */
  public record Piece(int count, Supplier<Samples> samples, TrainingStep step) {}

  /**
   * How steps are executed; the same on all ranks.
   *
   * @param recompute whether a stage computes the activations of a piece again before its backward
   *     pass instead of keeping them
   */
  public record Manner(Schedule schedule, boolean recompute) {}

  private final Network network;
  private final StageGroups groups;
  private final Manner manner;
  private final int stage;
  private final int stages;
  private final Map<Integer, OpenRun> open = new HashMap<>();

  /** Pieces whose forward passes are repeated before their backward passes. */
  private final BitSet again = new BitSet();

  /**
   * The runs of a stage.
   *
   * @param network the stage's
   * @param stage its number
   */
  public StageRun(Network network, StageGroups groups, Manner manner, int stage, int stages) {
    this.network = network;
    this.groups = groups;
    this.manner = manner;
    this.stage = stage;
    this.stages = stages;
  }

  /**
   * Makes a step's passes. Gradients replace those that are there.
   *
   * @param pieces that go through these stages; all stages have as many
   * @param told which way the next pass goes
   * @return the mean loss of their samples by the outputs of this stage; 0 if it has none
   */
  public double run(List<Piece> pieces, Consumer<Direction> told) {
    List<Pass> order = manner.schedule.order(stage, stages, pieces.size());
    double count = pieces.stream().mapToInt(Piece::count).sum();
    double loss = 0;
    try {
      for (int i = 0; i < order.size(); i++) {
        Pass pass = order.get(i);
        Piece piece = pieces.get(pass.piece());
        told.accept(pass.direction());
        switch (pass.direction()) {
          case FORWARD -> {
            boolean kept = !manner.recompute || order.get(i + 1).piece() == pass.piece();
            double mean = forward(pass.piece(), piece, kept);
            loss += piece.count == 0 ? 0 : mean * piece.count / count;
          }
          case BACKWARD -> backward(pass.piece(), piece);
        }
      }
      groups.finish();
    } finally {
      open.values().forEach(OpenRun::close);
      open.clear();
    }
    return loss;
  }

  /** The loss. */
  private double forward(int number, Piece piece, boolean kept) {
    again.set(number, !kept);
    if (piece.count == 0) {
      network.forwardNothing();
      return 0;
    }
    Samples samples = piece.samples.get();
    TrainingStep step = step(number, piece);
    OpenRun run = kept ? network.begin(samples, step) : network.beginRecomputing(samples, step);
    open.put(number, run);
    run.forward();
    return run.losses()[0];
  }

  private static TrainingStep step(int number, Piece piece) {
    return number == 0 ? piece.step : piece.step.accumulating();
  }

  private void backward(int number, Piece piece) {
    if (piece.count == 0) {
      if (again.get(number)) {
        network.forwardNothing();
      }
      network.backwardNothing(step(number, piece));
      return;
    }
    try (OpenRun run = open.remove(number)) {
      run.backward();
    }
  }
}
