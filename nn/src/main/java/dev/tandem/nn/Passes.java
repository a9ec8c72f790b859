package dev.tandem.nn;

import dev.tandem.core.DType;
import dev.tandem.core.UsageException;
import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.internal.GraphRun;
import dev.tandem.nn.internal.Lockstep;
import dev.tandem.nn.internal.Mode;
import dev.tandem.nn.internal.Torch;
import dev.tandem.nn.spec.NetworkSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The passes of a network over batches: checks what comes in, computes, tells what came out. */
final class Passes {

  private final Network network;
  private final NetworkSpec spec;
  private final Loss loss;
  private final long inputElements;
  private final int outputs;
  private final boolean takesInput;

  Passes(Network network) {
    this.network = network;
    spec = network.spec();
    loss = network.options().loss().orElse(Loss.of(spec.loss()));
    inputElements = spec.input().elements();
    outputs = spec.classes();
    takesInput = spec.nodes().stream().anyMatch(node -> node.inputs().contains(NetworkSpec.INPUT));
  }

  Loss loss() {
    return loss;
  }

  OpenRun begin(List<Samples> shards, TrainingStep step, boolean recompute) {
    shards.forEach(this::check);
    return network.inScope(() -> new OpenRun(network, this, shards, step, recompute));
  }

  /** Refuses samples that the network cannot take. */
  void checkSamples(Samples samples) {
    check(samples);
  }

  void backwardNothing(TrainingStep step) {
    step.ready().backwardBegins();
    network
        .graph()
        .backwardNothing(
            parameter -> {
              if (!adds(step)) {
                network.clearGradient(parameter);
              }
              tell(step, 0, parameter);
            });
  }

  /** What is not kept between passes cannot be added to. */
  private boolean adds(TrainingStep step) {
    return step.accumulate() && network.keepsGradients();
  }

  Evaluation evaluate(Samples samples, Optional<ClassCounts> counts, Optional<LayerTimer> timer) {
    check(samples);
    return network.inScope(
        () -> {
          Optional<Tensor> given = answers(samples.inputs(), samples.count(), timer);
          if (given.isEmpty()) {
            return Evaluation.NONE;
          }
          Tensor answers = given.get();
          Tensor targets = targets(samples.targets(), samples.count());
          double sum = loss.meanLoss(answers, targets).item() * samples.count();
          return switch (loss.target()) {
            case LABEL -> {
              counts.ifPresent(each -> each.add(answers, answers.argmax(1), targets));
              long correct = correct(answers, targets);
              yield new Evaluation(samples.count(), correct, sum, List.of());
            }
            case VALUES -> new Evaluation(samples.count(), 0, sum, TargetSums.of(answers, targets));
          };
        });
  }

  void predict(MemorySegment inputs, int count, MemorySegment into) {
    checkInputs(inputs, count);
    checkMemory("answers", into, (long) outputs * network.dtype().bytes() * count);
    network.inScope(
        () ->
            answers(inputs, count, Optional.empty())
                .map(
                    answers -> Torch.tensor(into, network.dtype(), count, outputs).copy_(answers)));
  }

  /** Nothing if they are another rank's to give. */
  private Optional<Tensor> answers(MemorySegment inputs, int count, Optional<LayerTimer> timer) {
    Mode mode = Mode.evaluation(count);
    network.beginPass();
    try (GraphRun run =
        new GraphRun(
            network.graph(),
            input(inputs, count),
            mode,
            List.of(),
            false,
            false,
            timer.map(told -> told::took))) {
      return run.answer();
    }
  }

  /** The way of one of a step's batches, whose input belongs to the present scope. */
  GraphRun run(
      int shard,
      Samples samples,
      TrainingStep step,
      Tensor input,
      long firstSample,
      boolean recompute) {
    return new GraphRun(
        network.graph(),
        input,
        new Mode(true, step.seed(), step.number(), firstSample, samples.count()),
        network.gradientBucket(shard).tensors(),
        adds(step),
        recompute,
        step.timer().map(timer -> timer::took));
  }

  /**
   * What one output costs.
   *
   * @param weight of the output
   * @param mean loss by the targets
   * @param otherShare weight of the loss by the second targets within that; 0 without such
   * @param other null without such
   */
  private record Cost(double weight, Tensor mean, double otherShare, Tensor other) {

    double value() {
      double value = mean.item();
      return weight
          * (other == null ? value : (1 - otherShare) * value + otherShare * other.item());
    }

    /** The same as a row of one number, without waiting for a device. */
    Tensor row() {
      Tensor value = exact(mean).mul(other == null ? weight : weight * (1 - otherShare));
      return other == null ? value : value.add(exact(other).mul(weight * otherShare));
    }

    private static Tensor exact(Tensor scalar) {
      return scalar.to(ScalarType.DOUBLE).reshape(1);
    }
  }

  /** The loss of a run; its gradient is set at the outputs. */
  double compare(Lockstep lockstep, int run, Samples samples, TrainingStep step) {
    if (spec.outputs().isEmpty()) {
      return 0;
    }
    Tensor targets = targets(samples.targets(), samples.count());
    if (loss.target() == Loss.Target.LABEL) {
      step.ready().answered(run, () -> correct(lockstep.output(run, 0), targets));
    }
    Optional<Tensor> second =
        samples.second().map(each -> targets(each.targets(), samples.count()));
    double share = samples.second().map(Samples.Second::weight).orElse(0.0);
    double sum = 0;
    for (Cost cost : costs(lockstep, run, targets, second, share, step.share(samples.count()))) {
      sum += cost.value();
    }
    return sum;
  }

  /**
   * The same on a device, without waiting for it.
   *
   * @return two numbers of float64: the mean loss, and how many answers are right
   */
  Tensor compareOnDevice(
      Lockstep lockstep,
      int run,
      Tensor targets,
      Optional<Tensor> second,
      double secondShare,
      double share) {
    if (spec.outputs().isEmpty()) {
      return Tensor.zeros(ScalarType.DOUBLE, 2);
    }
    Tensor correct =
        loss.target() == Loss.Target.LABEL
            ? lockstep.output(run, 0).argmax(1).eq(targets).sum().to(ScalarType.DOUBLE).reshape(1)
            : Tensor.zeros(ScalarType.DOUBLE, 1);
    Tensor sum = null;
    for (Cost cost : costs(lockstep, run, targets, second, secondShare, share)) {
      sum = sum == null ? cost.row() : sum.add(cost.row());
    }
    return Functions.concatenate(0, sum, correct);
  }

  private List<Cost> costs(
      Lockstep lockstep,
      int run,
      Tensor targets,
      Optional<Tensor> second,
      double secondShare,
      double share) {
    List<Cost> costs = new ArrayList<>();
    for (int i = 0; i < spec.outputs().size(); i++) {
      Tensor values = lockstep.output(run, i);
      double weight = spec.outputs().get(i).weight();
      Tensor mean = loss.meanLoss(values, targets);
      Tensor gradient = loss.gradient(values, targets);
      Tensor other = null;
      if (second.isPresent()) {
        other = loss.meanLoss(values, second.get());
        gradient =
            gradient.mul(1 - secondShare).add(loss.gradient(values, second.get()).mul(secondShare));
      }
      costs.add(new Cost(weight, mean, secondShare, other));
      double factor = weight * share;
      lockstep.gradient(run, i, factor == 1 ? gradient : gradient.mul(factor));
    }
    return costs;
  }

  /** Reads what {@link #compareOnDevice} has made, and tells of right answers; the mean loss. */
  double read(Tensor results, int run, TrainingStep step) {
    MemorySegment both = results.onHost().memory();
    if (loss.target() == Loss.Target.LABEL && !spec.outputs().isEmpty()) {
      step.ready().answered(run, () -> (long) both.getAtIndex(ValueLayout.JAVA_DOUBLE, 1));
    }
    return both.get(ValueLayout.JAVA_DOUBLE, 0);
  }

  /** After a recorded step was repeated: tells of everything at once; the mean loss. */
  double finishRepeated(TrainingStep step, Tensor results) {
    step.ready().backwardBegins();
    network.graph().backwardNothing(parameter -> tell(step, 0, parameter));
    return read(results, 0, step);
  }

  private static long correct(Tensor answers, Tensor labels) {
    return (long) answers.argmax(1).eq(labels).sum().item();
  }

  void tell(TrainingStep step, int shard, int parameter) {
    step.ready().ready(shard, parameter, network.gradientBucket(shard).views().get(parameter));
  }

  /** Samples in the order in memory and the type that the layers compute with. */
  Tensor input(MemorySegment inputs, int count) {
    if (!takesInput) {
      return Tensor.empty(network.computing(), 0);
    }
    long[] sample = spec.input().toArray();
    long[] extents = inputExtents(count);
    DType dtype = network.dtype();
    Tensor tensor;
    if (network.onDevice()) {
      tensor = network.onDevice(inputs, ScalarType.of(dtype), extents);
    } else if (sample.length == 3 && sample[0] == 1) {
      // One channel is the same in both memory orders: say that it is the engine's faster one.
      long[] strides = {sample[1] * sample[2], 1, sample[2], 1};
      tensor = Tensor.strided(inputs, ScalarType.of(dtype), extents, strides);
    } else {
      tensor = Torch.tensor(inputs, dtype, extents);
    }
    return prepared(tensor);
  }

  private long[] inputExtents(int count) {
    long[] sample = spec.input().toArray();
    long[] extents = new long[sample.length + 1];
    extents[0] = inputCount(count);
    System.arraycopy(sample, 0, extents, 1, sample.length);
    return extents;
  }

  /** A batch as the caller has it, in the order and type that the layers compute with. */
  Tensor prepared(Tensor batch) {
    return Torch.fast(batch, network.computing());
  }

  /** Room on a device for a batch as the caller has it. */
  Tensor deviceInput(int count) {
    return Tensor.zeros(ScalarType.of(network.dtype()), inputExtents(count));
  }

  /** Room on a device for targets. */
  Tensor deviceTargets(int count) {
    return switch (loss.target()) {
      case LABEL -> Tensor.zeros(ScalarType.LONG, count);
      case VALUES -> Tensor.zeros(ScalarType.of(network.dtype()), count, outputs);
    };
  }

  Tensor targets(MemorySegment targets, int count) {
    return switch (loss.target()) {
      case LABEL -> network.onDevice(targets, ScalarType.LONG, count);
      case VALUES -> network.onDevice(targets, ScalarType.of(network.dtype()), count, outputs);
    };
  }

  private void check(Samples samples) {
    checkInputs(samples.inputs(), samples.count());
    if (!spec.outputs().isEmpty()) {
      check(samples.targets(), samples.count());
      samples.second().ifPresent(second -> check(second.targets(), samples.count()));
    }
  }

  private void checkInputs(MemorySegment inputs, int count) {
    if (takesInput) {
      checkMemory("inputs", inputs, inputElements * network.dtype().bytes() * inputCount(count));
    }
  }

  /** A part of a network may take some of the samples only. */
  private long inputCount(int count) {
    return network.part().inputSamples().count(count);
  }

  private void check(MemorySegment targets, int count) {
    if (loss.target() == Loss.Target.VALUES) {
      checkMemory("targets", targets, (long) outputs * network.dtype().bytes() * count);
      return;
    }
    checkMemory("labels", targets, (long) Long.BYTES * count);
    if (network.staged(targets.asSlice(0, (long) Long.BYTES * count)).isEmpty()) {
      checkLabels(targets.asSlice(0, (long) Long.BYTES * count));
    }
  }

  /** Refuses labels of classes that there are not: a device would not survive them. */
  void checkLabels(MemorySegment targets) {
    if (loss.target() != Loss.Target.LABEL || spec.outputs().isEmpty()) {
      return;
    }
    for (int i = 0; i < targets.byteSize() / Long.BYTES; i++) {
      long label = targets.getAtIndex(ValueLayout.JAVA_LONG, i);
      if (label < 0 || label >= outputs) {
        throw new UsageException(
            "label %d of image %d in the batch is not one of the network's %d classes"
                .formatted(label, i, outputs));
      }
    }
  }

  private static void checkMemory(String what, MemorySegment memory, long needed) {
    if (!memory.isNative() || memory.byteSize() < needed) {
      throw new IllegalArgumentException(
          "%s must be native memory of at least %d bytes, not %s".formatted(what, needed, memory));
    }
  }
}
