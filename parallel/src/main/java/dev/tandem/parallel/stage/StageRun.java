package dev.tandem.parallel.stage;

import dev.tandem.core.TensorView;
import dev.tandem.nn.GradientListener;
import dev.tandem.nn.Network;
import dev.tandem.nn.OpenRun;
import dev.tandem.nn.Samples;
import dev.tandem.nn.TrainingStep;
import dev.tandem.parallel.stage.Schedule.Direction;
import dev.tandem.parallel.stage.Schedule.Pass;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The training steps of one stage: the passes of all pieces in the order of a schedule, whose
 * gradients add up. All stages run the same steps. One thread; everything that it is given stays
 * its owner's.
 */
public final class StageRun implements AutoCloseable {

  /** Hands out the samples of a step. */
  public interface Pieces {

    /**
     * The samples of a piece, which stay as they are until the step is done.
     *
     * @param from the first of them among the step's samples of these stages
     */
    Samples samples(int from, int count);
  }

  /**
   * How steps are cut and executed; the same on all ranks.
   *
   * @param microBatches pieces of a step, if it has as many samples
   * @param recompute whether a stage computes the activations of a piece again before its backward
   *     pass instead of keeping them
   */
  public record Manner(Schedule schedule, int microBatches, boolean recompute) {}

  private final Network network;
  private final StageGroups groups;
  private final Manner manner;
  private final int stage;
  private final int stages;
  private final Repetition repetition;
  private final Map<Integer, OpenRun> open = new HashMap<>();

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
    repetition = new Repetition(network, groups);
  }

  /**
   * Makes a step's passes. Gradients replace those that are there; the step's listener is told of
   * them in the last backward pass, and of the answers to each piece.
   *
   * @param count samples of the step that go through these stages, at least 1
   * @param step whose first sample is that of the first piece
   * @param told which way the next pass goes
   * @return the mean loss of these samples by the outputs of this stage; 0 if it has none
   */
  public double run(int count, Pieces pieces, TrainingStep step, Consumer<Direction> told) {
    int parts = manner.schedule.pieces(manner.microBatches, count);
    List<Pass> order = manner.schedule.order(stage, stages, parts);
    double loss = 0;
    try {
      for (int i = 0; i < order.size(); i++) {
        Pass pass = order.get(i);
        told.accept(pass.direction());
        int from = Schedule.firstSample(count, pass.piece(), parts);
        int size = Schedule.firstSample(count, pass.piece() + 1, parts) - from;
        boolean last = pass.piece() == parts - 1;
        Piece piece =
            new Piece(
                pass.piece(), pieces.samples(from, size), step(step, from, pass.piece(), last));
        switch (pass.direction()) {
          case FORWARD -> {
            boolean kept = !manner.recompute || order.get(i + 1).piece() == pass.piece();
            loss += forward(piece, kept) * size / count;
          }
          case BACKWARD -> backward(piece);
        }
      }
      groups.finish();
    } finally {
      open.values().forEach(OpenRun::close);
      open.clear();
    }
    return loss;
  }

  private record Piece(int number, Samples samples, TrainingStep step) {}

  private static TrainingStep step(TrainingStep step, int from, int piece, boolean last) {
    TrainingStep own =
        step.withFirstSample(step.firstSample() + from)
            .withListener(last ? step.ready() : new AnswersOnly(step.ready()));
    return piece == 0 ? own : own.accumulating();
  }

  /** The loss. */
  private double forward(Piece piece, boolean kept) {
    if (!kept) {
      return repetition.first(piece.number, piece.samples, piece.step);
    }
    OpenRun run = network.begin(piece.samples, piece.step);
    open.put(piece.number, run);
    return run.forward()[0];
  }

  private void backward(Piece piece) {
    OpenRun kept = open.remove(piece.number);
    try (OpenRun run =
        kept != null ? kept : repetition.again(piece.number, piece.samples, piece.step)) {
      run.backward();
    }
  }

  /** Told of answers, not of gradients to which others will be added. */
  private record AnswersOnly(GradientListener listener) implements GradientListener {

    @Override
    public void ready(int shard, int parameter, TensorView gradient) {}

    @Override
    public void answered(int shard, LongSupplier correct) {
      listener.answered(shard, correct);
    }
  }

  @Override
  public void close() {
    repetition.close();
  }
}
