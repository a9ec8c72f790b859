package dev.tandem.train;

import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.Plan;
import dev.tandem.data.order.Position;
import dev.tandem.sync.compress.Volume;
import dev.tandem.train.InputPart.Pieces;
import dev.tandem.train.Phases.Phase;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;

/**
 * Levels {@code fast} and {@code run}: each rank has one slice of a step, a synchroniser sums the
 * ranks' gradients while the backward pass continues, and every rank makes the same update.
 */
final class DataParallelStep extends ReplicatedStep {

  /** The loss, and the share of right answers. */
  static final long LOSS_BYTES = 2L * Double.BYTES;

  private final GradientSums synchronizer;
  private final LocalGradients local;
  private final DataParallelState state;
  private final Communicator losses;
  private double correctShare;

  /**
   * The step of one rank.
   *
   * @param synchronizer closed with this
   */
  DataParallelStep(StepContext context, GradientSums synchronizer) {
    super(context);
    this.synchronizer = synchronizer;
    losses = context.groups().losses();
    local = new LocalGradients(context, synchronizer::submit, synchronizer.statistics());
    state = new DataParallelState(context.groups().data(), optimizer, synchronizer);
  }

  @Override
  public void begin(Phases told) {
    super.begin(told);
    synchronizer
        .timeline()
        .ifPresent(
            timeline ->
                told.observedBy((phase, begin, end) -> timeline.phase(phase.word(), begin, end)));
  }

  @Override
  public SlicedState state(Map<String, String> values) {
    return state.all(values);
  }

  @Override
  public SlicedState restorable(CheckpointStore checkpoints) {
    return state.restorable(checkpoints);
  }

  @Override
  public Plan plan(Position from, long steps) {
    return local.plan(from, steps);
  }

  @Override
  public Pieces pieces() {
    return local.pieces();
  }

  @Override
  public void check(long smallestStep) {
    local.check(smallestStep);
  }

  @Override
  double compute(Batch batch, long step) {
    double loss = phases.in(Phase.FORWARD, () -> local.compute(batch, step, phases));
    double right = (double) local.correct() / batch.globalCount();
    return phases.in(
        Phase.SYNC,
        () -> {
          synchronizer.await();
          return sum(loss * batch.weight(), right);
        });
  }

  private double sum(double loss, double right) {
    try (Arena own = Arena.ofConfined()) {
      MemorySegment segment = own.allocateFrom(ValueLayout.JAVA_DOUBLE, loss, right);
      losses.allreduce(segment, DType.FLOAT64, ReduceOp.SUM);
      correctShare = segment.getAtIndex(ValueLayout.JAVA_DOUBLE, 1);
      return segment.get(ValueLayout.JAVA_DOUBLE, 0);
    }
  }

  @Override
  double correctShare() {
    return correctShare;
  }

  @Override
  public boolean discard(String problem) {
    synchronizer.undo();
    return super.discard(problem);
  }

  @Override
  public void agree() {
    local.averageBuffers();
  }

  @Override
  public Volume volume() {
    return synchronizer.volume();
  }

  @Override
  public void close() {
    synchronizer.close();
    super.close();
  }
}
