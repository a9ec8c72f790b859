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
import java.util.function.Supplier;

/**
 * The training steps of one stage: the passes of all pieces in the order of a schedule, whose
 * gradients add up. All stages run the same steps. One thread; everything that it is given stays
 * its owner's.
 */
public final class StageRun implements AutoCloseable {

  /**
   * One of the pieces into which a step is cut.
   *
   * @param count samples, at least 1
   * @param samples hands them out; they stay as they are until the step is done
   * @param step whose first sample is that of the piece, and whose listener is told of answers, and
   *     of gradients if it is the last piece
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
        TrainingStep step = step(piece, pass.piece(), pieces.size());
        told.accept(pass.direction());
        switch (pass.direction()) {
          case FORWARD -> {
            boolean kept = !manner.recompute || order.get(i + 1).piece() == pass.piece();
            loss += forward(pass.piece(), piece.samples.get(), step, kept) * piece.count / count;
          }
          case BACKWARD -> backward(pass.piece(), piece, step);
        }
      }
      groups.finish();
    } finally {
      open.values().forEach(OpenRun::close);
      open.clear();
    }
    return loss;
  }

  private static TrainingStep step(Piece piece, int number, int pieces) {
    TrainingStep own =
        number == pieces - 1
            ? piece.step
            : piece.step.withListener(new AnswersOnly(piece.step.ready()));
    return number == 0 ? own : own.accumulating();
  }

  /** The loss. */
  private double forward(int number, Samples samples, TrainingStep step, boolean kept) {
    if (!kept) {
      return repetition.first(number, samples, step);
    }
    OpenRun run = network.begin(samples, step);
    open.put(number, run);
    return run.forward()[0];
  }

  private void backward(int number, Piece piece, TrainingStep step) {
    OpenRun kept = open.remove(number);
    try (OpenRun run =
        kept != null ? kept : repetition.again(number, piece.samples.get(), step)) {
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
