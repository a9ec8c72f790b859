package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.Plan;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.Step;
import dev.tandem.nn.Network;
import dev.tandem.nn.TrainingStep;
import dev.tandem.parallel.stage.StageRun;
import dev.tandem.sync.request.Operation;
import dev.tandem.train.InputPart.Pieces;
import dev.tandem.train.Phases.Phase;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The gradients of one rank's slice of a step, computed in one or more passes and handed over layer
 * by layer as they become ready.
 */
final class LocalGradients {

  /** Gets gradients as soon as they are ready. */
  interface Receiver {

    /**
     * A gradient is ready.
     *
     * @param weight its factor in the combination of all ranks
     */
    void submit(TensorView gradient, float weight);
  }

  private final Communicator data;
  private final Network network;
  private final Seed seed;
  private final int passes;
  private final InputPart part;
  private final Mixup mixup;
  private final Operation reduction;
  private final Receiver receiver;
  private final BatchStatistics statistics;
  private final boolean synchronised;
  private final Optional<StageRun> pipeline;
  private final boolean answers;
  private final int ranks;

  private long correct;

  LocalGradients(StepContext context, Receiver receiver, BatchStatistics statistics) {
    data = context.groups().data();
    ranks = context.groups().all().size();
    this.statistics = statistics;
    network = context.network();
    seed = context.dropout();
    Optional<RankStage> stage = context.rank().stage();
    passes = stage.map(RankStage::pieces).orElse(context.config().batch().accumulation());
    pipeline = stage.map(own -> own.run(network));
    answers = stage.map(RankStage::answers).orElse(true);
    part = context.rank().input().part();
    mixup = Mixup.of(context.config());
    reduction = context.config().gradients().rule().reduction();
    this.receiver = receiver;
    synchronised = context.config().determinism().synchronisedBatchNorm();
  }

  /**
   * Computes and hands over this rank's gradients; gives its mean loss.
   *
   * @param phases in the forward pass
   */
  double compute(Batch batch, long step, Phases phases) {
    correct = 0;
    List<BatchSlice> slices = part.slices(batch, pieces());
    if (pipeline.isPresent()) {
      return staged(pipeline.get(), slices, step, phases);
    }
    double loss = 0;
    for (int i = 0; i < slices.size(); i++) {
      BatchSlice slice = slices.get(i);
      double mean = pass(slice, step, i, i == slices.size() - 1, phases);
      loss += slice.count() == 0 ? 0 : mean * slice.count() / batch.count();
    }
    return loss;
  }

  /** One forward and backward pass; those after the first add to its gradients. */
  private double pass(BatchSlice slice, long step, int piece, boolean last, Phases phases) {
    phases.enter(Phase.FORWARD);
    TrainingStep training = training(slice, step, piece, last, phases);
    if (slice.count() == 0) {
      // A rank without samples still takes part, with zeros.
      network.forwardBackwardNothing(training);
      return 0;
    }
    try (Arena copies = Arena.ofConfined()) {
      return network.forwardBackward(
          slice.samples(copies, mixup, step, training.firstSample()),
          piece > 0 ? training.accumulating() : training);
    }
  }

  /** The passes of all pieces through this rank's stage. */
  private double staged(StageRun stage, List<BatchSlice> slices, long step, Phases phases) {
    try (Arena copies = Arena.ofConfined()) {
      List<StageRun.Piece> pieces = new ArrayList<>();
      for (int i = 0; i < slices.size(); i++) {
        BatchSlice slice = slices.get(i);
        TrainingStep training = training(slice, step, i, i == slices.size() - 1, phases);
        pieces.add(
            new StageRun.Piece(
                slice.count(),
                () -> slice.samples(copies, mixup, step, training.firstSample()),
                training));
      }
      return stage.run(
          pieces,
          direction ->
              phases.enter(
                  switch (direction) {
                    case FORWARD -> Phase.FORWARD;
                    case BACKWARD -> Phase.BACKWARD;
                  }));
    }
  }

  private TrainingStep training(
      BatchSlice slice, long step, int piece, boolean last, Phases phases) {
    Position position = slice.batch().position();
    Step whole = new Step(position, slice.batch().globalCount());
    long place = plan(position, 1).share(whole).from() - position.sample();
    float weight = weight(slice.batch());
    StepListener listener =
        new StepListener(
            phases,
            (_, right) -> correct += answers ? right : 0,
            ranks > 1,
            (_, _, gradient) -> {
              if (last || !network.keepsGradients()) {
                receiver.submit(gradient, weight);
              }
            });
    TrainingStep training =
        TrainingStep.of(seed, step)
            .withFirstSample(place + slice.from())
            .withMeanOver(whole.count())
            .withStatistics(statistics.ofPass(piece).orElse(null))
            .withListener(listener);
    return phases.layers().map(training::withTimer).orElse(training);
  }

  /**
   * The passes in which a batch is computed. Where ranks keep parts of gradients they meet in every
   * pass: then all have as many.
   */
  Pieces pieces() {
    return network.keepsGradients() ? Pieces.of(passes) : Pieces.together(passes, data.size());
  }

  /** Samples of the last step that this rank has classified right. */
  long correct() {
    return correct;
  }

  /**
   * Gradients are this rank's part of the mean over all samples of the step: their sum is the mean.
   * A combination is that of the means of the ranks, each over its own samples.
   */
  private float weight(Batch batch) {
    return reduction == Operation.ADASUM ? (float) (1 / batch.weight()) : 1;
  }

  /** Every rank has seen other samples: the mean of their running statistics stands for all. */
  void averageBuffers() {
    if (!synchronised && !network.buffers().isEmpty()) {
      network.downloadBuffers();
      List<MemorySegment> buffers = network.buffers().stream().map(TensorView::data).toList();
      data.fusedAllreduce(buffers, DType.FLOAT32, ReduceOp.AVERAGE);
      network.uploadBuffers();
    }
  }

  Plan plan(Position from, long steps) {
    return new Plan(data.rank(), data.size(), from, steps);
  }

  void check(long smallestStep) {
    long needed = (long) data.size() * passes;
    if (synchronised && smallestStep < needed) {
      throw new UsageException(
          "the smallest step has %d samples, but with synchronised-batch-norm %d ranks in %d passes"
                  .formatted(smallestStep, data.size(), passes)
              + " need one each: change batch.global, or set data.epoch-end: circular");
    }
  }
}
