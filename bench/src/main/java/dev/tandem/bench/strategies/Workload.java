package dev.tandem.bench.strategies;

import dev.tandem.core.DType;
import dev.tandem.core.Region;
import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.nn.NetworkPart;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.ParameterMemory;
import dev.tandem.nn.Samples;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.StatisticsReducer;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.LocalNetwork;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** The samples that all strategies train on, and what one process makes of them. */
final class Workload implements AutoCloseable {

  static final Seed SEED = new Seed(7);

  /** After this many steps parameters are compared. */
  static final int COMPARED_STEPS = 2;

  /** Tensors whose values are smaller than this share of the largest hold little but rounding. */
  private static final double LEAST = 1e-3;

  private static final double RATE = 0.01;
  private static final SgdMomentum.Settings SETTINGS =
      new SgdMomentum.Settings(0.9, 0, false, Double.POSITIVE_INFINITY);

  private final Arena arena = Arena.ofShared();
  private final NetworkSpec network;
  private final DType type;
  private final int batch;
  private final double[] inputs;
  private final long[] labels;
  private final Map<Integer, Map<String, double[]>> references = new HashMap<>();

  Workload(NetworkSpec network, DType type, int batch) {
    this.network = network;
    this.type = type;
    this.batch = batch;
    SplittableRandom random = SEED.random();
    inputs = random.doubles(network.input().elements() * batch, -1, 1).toArray();
    labels = random.longs(batch, 0, network.classes()).toArray();
  }

  NetworkSpec network() {
    return network;
  }

  /** The type of parameters and of what layers compute. */
  DType type() {
    return type;
  }

  int batch() {
    return batch;
  }

  /** A rank's network, with the first parameters of the whole one. */
  Network network(LocalNetwork local, Engine engine, Optional<ParameterMemory> memory) {
    return Network.create(
        engine,
        local.spec(),
        SEED,
        NetworkOptions.DEFAULT.withDtype(type),
        new NetworkPart(local.whole(), local.regions(), Optional.empty(), local.inputSamples()),
        memory);
  }

  static Optimizer optimizer(Network network) {
    return new SgdMomentum(network, SETTINGS);
  }

  static void update(Optimizer optimizer) {
    optimizer.step(RATE);
  }

  /** What a rank has of some of the samples. */
  Samples samples(LocalNetwork local, int from, int count) {
    Region region = local.input();
    long own = region.local().elements();
    long whole = network.input().elements();
    long first = local.inputSamples().from(count);
    long held = local.inputSamples().count(count);
    MemorySegment part = arena.allocate(Math.max(1, held * own) * type.bytes(), 64);
    for (long sample = 0; sample < held; sample++) {
      long begin = (from + first + sample) * whole;
      long to = sample * own;
      region.forEachRun(
          (at, place, length) -> {
            for (long i = 0; i < length; i++) {
              put(part, to + place + i, inputs[(int) (begin + at + i)]);
            }
          });
    }
    MemorySegment targets = arena.allocate((long) count * Long.BYTES, 64);
    MemorySegment.copy(labels, from, targets, ValueLayout.JAVA_LONG, 0, count);
    return new Samples(part, targets, count);
  }

  /**
   * What one process has after the steps that are compared; computed once.
   *
   * @param pieces of a batch whose gradients add up, each with batch statistics of its own
   */
  private Map<String, double[]> reference(int pieces) {
    return references.computeIfAbsent(pieces, this::trained);
  }

  private Map<String, double[]> trained(int pieces) {
    Map<String, double[]> parameters = new HashMap<>();
    LocalNetwork local = LocalNetwork.undivided(network);
    try (Network whole = network(local, Engine.start(1), Optional.empty());
        Optimizer optimizer = optimizer(whole)) {
      for (int step = 0; step < COMPARED_STEPS; step++) {
        for (int piece = 0; piece < pieces; piece++) {
          int from = batch * piece / pieces;
          int count = batch * (piece + 1) / pieces - from;
          TrainingStep part = TrainingStep.of(SEED, step).withMeanOver(batch).withFirstSample(from);
          if (pieces == 1) { // pieces are normalised by themselves, with other kernels
            part = part.withStatistics(StatisticsReducer.LOCAL);
          }
          whole.forwardBackward(
              samples(local, from, count), piece == 0 ? part : part.accumulating());
        }
        update(optimizer);
      }
      whole.parameters().forEach(each -> parameters.put(each.name(), values(each)));
    }
    return parameters;
  }

  private void put(MemorySegment memory, long place, double value) {
    if (type == DType.FLOAT64) {
      memory.setAtIndex(ValueLayout.JAVA_DOUBLE, place, value);
    } else {
      memory.setAtIndex(ValueLayout.JAVA_FLOAT, place, (float) value);
    }
  }

  private static double[] values(TensorView tensor) {
    if (tensor.dtype() == DType.FLOAT64) {
      return tensor.data().toArray(ValueLayout.JAVA_DOUBLE);
    }
    double[] values = new double[Math.toIntExact(tensor.shape().elements())];
    for (int i = 0; i < values.length; i++) {
      values[i] = tensor.data().getAtIndex(ValueLayout.JAVA_FLOAT, i);
    }
    return values;
  }

  /**
   * The largest difference of a rank's parameters from those of one process, of the largest value
   * of a tensor; tensors whose values are nearly 0 are compared with the network's largest.
   *
   * @param pieces as in {@link #reference}
   */
  double error(Network network, int pieces) {
    Map<String, double[]> reference = reference(pieces);
    double least =
        LEAST * reference.values().stream().mapToDouble(Workload::largest).max().orElse(1);
    double worst = 0;
    List<TensorView> parameters = network.updatedParameters();
    for (int i = 0; i < parameters.size(); i++) {
      double[] whole = reference.get(parameters.get(i).name());
      double[] own = values(parameters.get(i));
      double[] difference = new double[1];
      network
          .updatedRegions()
          .get(i)
          .forEachRun(
              (at, place, length) -> {
                for (int j = 0; j < length; j++) {
                  difference[0] =
                      Math.max(difference[0], Math.abs(whole[(int) at + j] - own[(int) place + j]));
                }
              });
      worst = Math.max(worst, difference[0] / Math.max(least, largest(whole)));
    }
    return worst;
  }

  private static double largest(double[] values) {
    double largest = 0;
    for (double value : values) {
      largest = Math.max(largest, Math.abs(value));
    }
    return largest;
  }

  @Override
  public void close() {
    arena.close();
  }
}
