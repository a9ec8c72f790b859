package dev.tandem.train;

import dev.tandem.comm.Handle;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.Plan;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.Step;
import dev.tandem.nn.TrainingStep;
import dev.tandem.sync.compress.Volume;
import dev.tandem.train.InputPart.Pieces;
import dev.tandem.train.Phases.Phase;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Level {@code elastic}: each step is cut into a fixed number of shards, each with kernel calls and
 * gradients of its own, and the shards' gradients are summed along the canonical tree. A rank has a
 * run of shards and goes through them one by one, as if it accumulated gradients; with synchronised
 * batch normalisation they go layer by layer together. So the bits do not depend on the ranks.
 */
final class ElasticStep extends ReplicatedStep {

  private final Seed seed;
  private final Mixup mixup;
  private final int shards;
  private final Plan plan;
  private final RankGroups groups;
  private final boolean synchronised;
  private final Arena arena = Arena.ofShared();

  /** The gradients of one parameter, one own shard after the other; of all parameters. */
  private final List<ShardRows> gradientRows = new ArrayList<>();

  /** The loss of each shard and the share of its right answers, both as parts of the step. */
  private final ShardRows losses;

  private final BufferRows buffers;
  private final List<Handle> underWay = new ArrayList<>();
  private long handedOver;
  private double correctShare;

  /** The step of one rank; there are no more ranks than shards. */
  ElasticStep(StepContext context) {
    super(context);
    seed = context.dropout();
    mixup = Mixup.of(context.config());
    shards = context.config().determinism().shards();
    plan = plan(Position.START, 0);
    groups = context.groups();
    synchronised = context.config().determinism().synchronisedBatchNorm();
    int own = plan.endShard() - plan.firstShard();
    network
        .parameters()
        .forEach(parameter -> gradientRows.add(new ShardRows(arena, own, parameter.byteSize())));
    losses = new ShardRows(arena, own, 2L * Double.BYTES);
    buffers = new BufferRows(arena, own, network.buffers());
  }

  @Override
  public Pieces pieces() {
    return Pieces.of(plan);
  }

  @Override
  double compute(Batch batch, long step) {
    phases.in(
        Phase.FORWARD,
        () -> {
          List<Shard> own = shards(batch);
          clearEmpty(own);
          if (own.isEmpty()) {
            reduceAll();
          } else if (synchronised) {
            together(own, step);
          } else {
            oneByOne(own, step);
            if (network.onDevice()) {
              reduceAll();
            }
          }
        });
    return phases.in(Phase.SYNC, this::sums);
  }

  /**
   * A shard of this rank with at least one sample.
   *
   * @param slot its place among the rank's shards
   * @param first its first sample's place in the step
   * @param weight its share in the step
   */
  private record Shard(int slot, long first, double weight, BatchSlice slice) {}

  private List<Shard> shards(Batch batch) {
    Step step = new Step(batch.position(), batch.globalCount());
    List<BatchSlice> slices = input().part().slices(batch, pieces());
    List<Shard> result = new ArrayList<>();
    for (int shard = plan.firstShard(); shard < plan.endShard(); shard++) {
      Step.Share share = step.share(shard, shards);
      if (share.count() > 0) {
        result.add(
            new Shard(
                shard - plan.firstShard(),
                share.from() - batch.position().sample(),
                (double) share.count() / batch.globalCount(),
                slices.get(shard - plan.firstShard())));
      }
    }
    return result;
  }

  private void clearEmpty(List<Shard> own) {
    if (own.size() < plan.endShard() - plan.firstShard()) {
      gradientRows.forEach(ShardRows::clear);
    }
    losses.clear();
    network.downloadBuffers();
    buffers.begin();
  }

  private void oneByOne(List<Shard> own, long step) {
    for (Shard shard : own) {
      boolean last = shard.slot() == own.getLast().slot();
      buffers.rewind();
      network.uploadBuffers();
      phases.enter(Phase.FORWARD);
      TrainingStep training =
          TrainingStep.of(seed, step)
              .withFirstSample(shard.first())
              .withMeanOver(shard.slice().batch().globalCount())
              .withListener(
                  new StepListener(
                      phases,
                      (_, right) -> answered(shard, right),
                      true,
                      (_, parameter, gradient) -> {
                        if (!network.onDevice()) {
                          keep(shard, parameter, gradient);
                          if (last) {
                            reduce(parameter);
                          }
                        }
                      }));
      try (Arena copies = Arena.ofConfined()) {
        double loss =
            network.forwardBackward(
                shard.slice().samples(copies, mixup, step, shard.first()), training);
        losses.set(shard.slot(), 0, loss * shard.weight());
      }
      if (network.onDevice()) {
        keepAll(shard, 0);
        network.downloadBuffers();
      }
      buffers.keep(shard.slot());
    }
  }

  private void together(List<Shard> own, long step) {
    TrainingStep training =
        TrainingStep.of(seed, step)
            .withFirstSample(own.getFirst().first())
            .withMeanOver(own.getFirst().slice().batch().globalCount())
            .withListener(
                new StepListener(
                    phases,
                    (run, right) -> answered(own.get(run), right),
                    true,
                    (run, parameter, gradient) -> {
                      if (!network.onDevice()) {
                        keep(own.get(run), parameter, gradient);
                        if (run == own.size() - 1) {
                          reduce(parameter);
                        }
                      }
                    }))
            .withStatistics((_, parts, total) -> sumStatistics(own, parts, total));
    try (Arena copies = Arena.ofConfined()) {
      double[] means =
          network.forwardBackward(
              own.stream()
                  .map(shard -> shard.slice().samples(copies, mixup, step, shard.first()))
                  .toList(),
              training);
      for (int i = 0; i < means.length; i++) {
        losses.set(own.get(i).slot(), 0, means[i] * own.get(i).weight());
      }
      for (int i = 0; i < means.length && network.onDevice(); i++) {
        keepAll(own.get(i), i);
      }
      if (network.onDevice()) {
        reduceAll();
      }
    }
  }

  /** The gradients of a shard that a device has computed. */
  private void keepAll(Shard shard, int run) {
    network.downloadGradients(run);
    List<TensorView> gradients = network.gradients(run);
    for (int i = 0; i < gradients.size(); i++) {
      keep(shard, i, gradients.get(i));
    }
  }

  private void answered(Shard shard, long right) {
    losses.set(shard.slot(), 1, (double) right / shard.slice().batch().globalCount());
  }

  private void keep(Shard shard, int parameter, TensorView gradient) {
    gradientRows.get(parameter).row(shard.slot()).copyFrom(gradient.data());
  }

  /** Starts summing the shards' gradients of one parameter; the sum takes their place. */
  private void reduce(int parameter) {
    MemorySegment own = gradientRows.get(parameter).all();
    groups
        .gradientsBeforeData(network.parameters().get(parameter).name())
        .ifPresent(inner -> inner.allreduce(own, DType.FLOAT32, ReduceOp.SUM));
    handedOver += own.byteSize();
    MemorySegment sum = network.gradients().get(parameter).data();
    underWay.add(
        data.start(all -> all.elasticAllreduce(own, shards, sum, DType.FLOAT32, ReduceOp.SUM)));
  }

  /** A rank whose shards are all empty still takes part, in the order of the others. */
  private void reduceAll() {
    List<String> names = network.parameters().stream().map(TensorView::name).toList();
    network.gradientGraph().parameters().forEach(p -> reduce(names.indexOf(p.name())));
  }

  private void sumStatistics(List<Shard> own, List<MemorySegment> parts, MemorySegment total) {
    try (Arena rows = Arena.ofConfined()) {
      long bytes = total.byteSize();
      int count = plan.endShard() - plan.firstShard();
      MemorySegment packed = rows.allocate(bytes * count, Double.BYTES);
      for (int i = 0; i < parts.size(); i++) {
        MemorySegment.copy(parts.get(i), 0, packed, own.get(i).slot() * bytes, bytes);
      }
      groups.statistics().elasticAllreduce(packed, shards, total, DType.FLOAT64, ReduceOp.SUM);
    }
  }

  private double sums() {
    underWay.forEach(Handle::await);
    underWay.clear();
    network.uploadGradients();
    if (!synchronised) {
      buffers.average(data, shards);
      network.uploadBuffers();
    }
    try (Arena own = Arena.ofConfined()) {
      MemorySegment both = own.allocate(ValueLayout.JAVA_DOUBLE, 2);
      data.elasticAllreduce(losses.all(), shards, both, DType.FLOAT64, ReduceOp.SUM);
      correctShare = both.getAtIndex(ValueLayout.JAVA_DOUBLE, 1);
      return both.get(ValueLayout.JAVA_DOUBLE, 0);
    }
  }

  @Override
  double correctShare() {
    return correctShare;
  }

  @Override
  public void agree() {
    // The state is the same on all ranks after every step.
  }

  @Override
  public Plan plan(Position from, long steps) {
    return new Plan(data.rank(), data.size(), shards, from, steps);
  }

  @Override
  public void check(long smallestStep) {
    if (synchronised && smallestStep < shards) {
      throw new UsageException(
          "the smallest step has %d samples, but with synchronised-batch-norm %d shards need one"
                  .formatted(smallestStep, shards)
              + " each: change batch.global, or set data.epoch-end: circular");
    }
  }

  @Override
  public Volume volume() {
    return new Volume(handedOver, handedOver);
  }

  @Override
  public void close() {
    arena.close();
    super.close();
  }
}
