package dev.tandem.train;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.data.RecordSource;
import dev.tandem.data.load.BatchSource;
import dev.tandem.data.load.Plan;
import dev.tandem.data.load.RecordPreparation;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Steps;
import dev.tandem.nn.ClassCounts;
import dev.tandem.nn.Evaluation;
import dev.tandem.nn.Network;
import dev.tandem.nn.Samples;
import dev.tandem.nn.TargetSums;
import dev.tandem.train.InputPart.Pieces;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Evaluates a network on a test set, all ranks together. The set is cut into parts as training cuts
 * its steps, each part evaluated by itself and the results added along a fixed tree: where training
 * does not depend on the number of ranks, neither does this.
 */
final class Validation {

  /** Samples, correct ones and losses; then four for each target that is a value. */
  private static final int NUMBERS = 3;

  private static final int PER_TARGET = 4;

  private final TrainingConfig config;
  private final RankGroups groups;
  private final BiFunction<Position, Long, Plan> plans;
  private final GroupInput input;
  private final Optional<RankStage> stage;
  private Optional<ClassCounts> classes = Optional.empty();

  Validation(TrainingConfig config, RankNetwork rank, BiFunction<Position, Long, Plan> plans) {
    this.config = config;
    groups = rank.groups();
    this.plans = plans;
    input = rank.input();
    stage = rank.stage();
  }

  /** Each rank evaluates its share; all get the whole. */
  Evaluation of(Network network, RecordSource test) {
    SampleOrder order = new SampleOrder(new Seed(0), test.size(), Shuffle.NONE);
    Steps steps = new Steps(order, config.validation().batch(), EpochEnd.EXACT);
    Plan plan = plans.apply(Position.START, steps.stepsFor(1));
    Evaluation[] parts = new Evaluation[plan.endShard() - plan.firstShard()];
    Arrays.fill(parts, Evaluation.NONE);
    classes =
        config.regression()
            ? Optional.empty()
            : Optional.of(new ClassCounts(config.network().classes()));
    RecordPreparation preparation = config.testPreparation();
    Pieces pieces = Pieces.of(plan);
    try (BatchSource batches =
        input.open(test, steps, preparation, plan, config.data().loader(), pieces)) {
      while (batches.hasNext()) {
        List<BatchSlice> slices = input.part().slices(batches.next(), pieces);
        for (int i = 0; i < parts.length; i++) {
          if (slices.get(i).count() > 0) {
            parts[i] = parts[i].plus(evaluate(network, slices.get(i)));
          } else {
            network.evaluateNothing();
          }
        }
        // No stage of a pipeline is more than one batch ahead of the next.
        stage.ifPresent(own -> own.ways().finish());
      }
    }
    classes.ifPresent(
        counts -> {
          groups.data().allreduce(counts.memory(), DType.INT64, ReduceOp.SUM);
          groups.fromAnsweringStage(counts.memory());
        });
    return sum(parts, plan.shards());
  }

  /** The classes of the last evaluation over all ranks; none if targets are values. */
  Optional<ClassCounts> classes() {
    return classes;
  }

  private Evaluation evaluate(Network network, BatchSlice slice) {
    try (Arena copies = Arena.ofConfined()) {
      Samples samples = slice.samples(copies);
      return classes.isPresent()
          ? network.evaluate(samples, classes.get())
          : network.evaluate(samples);
    }
  }

  private Evaluation sum(Evaluation[] parts, int shards) {
    int targets = config.regression() ? config.network().classes() : 0;
    int width = NUMBERS + PER_TARGET * targets;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment own = arena.allocate(ValueLayout.JAVA_DOUBLE, (long) width * parts.length);
      for (int i = 0; i < parts.length; i++) {
        double[] numbers = numbers(parts[i], width);
        MemorySegment.copy(
            numbers, 0, own, ValueLayout.JAVA_DOUBLE, (long) i * width * Double.BYTES, width);
      }
      MemorySegment sums = arena.allocate(ValueLayout.JAVA_DOUBLE, width);
      groups.data().elasticAllreduce(own, shards, sums, DType.FLOAT64, ReduceOp.SUM);
      groups.fromAnsweringStage(sums);
      return evaluation(sums.toArray(ValueLayout.JAVA_DOUBLE))
          .scaled(config.data().targetNormalisation().deviations());
    }
  }

  private static double[] numbers(Evaluation part, int width) {
    double[] numbers = new double[width];
    numbers[0] = (double) part.samples();
    numbers[1] = (double) part.correct();
    numbers[2] = part.lossSum();
    int at = NUMBERS;
    for (TargetSums target : part.targets()) {
      numbers[at++] = target.absolute();
      numbers[at++] = target.squared();
      numbers[at++] = target.sum();
      numbers[at++] = target.sumOfSquares();
    }
    return numbers;
  }

  private static Evaluation evaluation(double[] numbers) {
    List<TargetSums> targets = new ArrayList<>();
    for (int at = NUMBERS; at < numbers.length; at += PER_TARGET) {
      targets.add(new TargetSums(numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]));
    }
    return new Evaluation((long) numbers[0], (long) numbers[1], numbers[2], targets);
  }
}
