package dev.tandem.oracle.measure;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Loss;
import dev.tandem.nn.Network;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.nn.NetworkPart;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.Samples;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.spec.NetworkSpec.Node;
import dev.tandem.parallel.LocalNetwork;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.ObjIntConsumer;

/**
 * Measures layers in passes of real networks: each rank computes its part as in a training step,
 * all at the same time, but with nobody to exchange with. All ranks call everything together.
 */
final class LayerRuns {

  private static final Seed SEED = new Seed(28);
  private static final int WARM_UP_PASSES = 20;

  /** How often the time of an item in a round. */
  private static final double WARM_UP = 10;

  private static final int FEWEST = 3;
  private static final int MOST = 60;

  /** Different samples that passes get in turn. */
  private static final int BATCHES = 4;

  /** Parameters hardly change by updates that are not to be noticed. */
  private static final double RATE = 1e-9;

  private static final SgdMomentum.Settings UNNOTICED =
      new SgdMomentum.Settings(0.9, 0, false, Double.POSITIVE_INFINITY);

  private final Communicator all;
  private final Engine engine;
  private final List<LayerItem> items;
  private final double seconds;
  private final LayerFigures figures;
  private final List<Double> kept = new ArrayList<>();
  private final boolean shared;
  private final Map<LayerItem, LocalNetwork> wanted = new LinkedHashMap<>();
  private final List<Double> waits = new ArrayList<>();
  private final List<Double> waitsAtExchanges = new ArrayList<>();

  /**
   * Measurements of all ranks.
   *
   * @param shared whether ranks take turns on cores
   * @param seconds that the runs of an item take in a round, about
   */
  LayerRuns(
      Communicator all, Engine engine, List<LayerItem> items, boolean shared, double seconds) {
    this.all = all;
    this.engine = engine;
    this.items = items;
    this.seconds = seconds;
    this.shared = shared;
    figures = new LayerFigures(shared);
  }

  LayerFigures figures() {
    return figures;
  }

  /** Share of counted activations that are kept, of whole networks; 1 if none was measured. */
  double gamma() {
    return kept.stream().mapToDouble(Double::doubleValue).average().orElse(1);
  }

  /** Share of a pass that ranks wait for the slowest; the same on all ranks. */
  double waiting() {
    return waits.stream().mapToDouble(Double::doubleValue).average().orElse(0);
  }

  /** The same where they wait at each exchange, not only at the end of a pass. */
  double waitingAtExchanges() {
    return waitsAtExchanges.stream().mapToDouble(Double::doubleValue).average().orElse(waiting());
  }

  /** Makes passes until the programs that make them are compiled. */
  void warmUp() {
    List<LayerItem> tiny = LayerItem.tiny(all.size());
    long end = System.nanoTime() + (long) (WARM_UP * seconds * 1e9);
    double[] left = {1};
    while (left[0] > 0) {
      for (LayerItem item : tiny) {
        LocalNetwork local = item.plan(all.rank());
        try (Arena arena = Arena.ofShared();
            Network network = network(local)) {
          Samples samples = samples(arena, local, network.loss(), item.samples());
          for (int i = 0; i < WARM_UP_PASSES; i++) {
            double _ = network.forwardBackward(samples, TrainingStep.of(SEED, 0));
          }
        }
      }
      left[0] = end - System.nanoTime();
      all.allreduce(MemorySegment.ofArray(left), DType.FLOAT64, ReduceOp.MAX);
    }
  }

  private Network network(LocalNetwork local) {
    NetworkPart part =
        new NetworkPart(local.whole(), local.regions(), Optional.empty(), local.inputSamples());
    return Network.create(engine, local.spec(), SEED, NetworkOptions.DEFAULT, part);
  }

  /**
   * Measures all items once, those whose layers are all known from other items left out.
   *
   * @param progress told what comes and the number of items before it
   */
  void round(ObjIntConsumer<LayerItem> progress) {
    boolean first = wanted.isEmpty();
    for (int i = 0; i < items.size(); i++) {
      LayerItem item = items.get(i);
      progress.accept(item, i);
      if (first && unknown(item)) {
        wanted.put(item, item.plan(all.rank()));
      }
      LocalNetwork network = wanted.get(item);
      if (network != null) {
        measure(item, network);
      }
    }
    figures.endRound();
  }

  private boolean unknown(LayerItem item) {
    int[] unknown = {figures.knows(item.plan(all.rank()), item.samples()) ? 0 : 1};
    all.allreduce(MemorySegment.ofArray(unknown), DType.INT32, ReduceOp.MAX);
    return unknown[0] == 1;
  }

  private void measure(LayerItem item, LocalNetwork local) {
    try (Arena arena = Arena.ofShared();
        Network network = network(local);
        Optimizer optimizer = new SgdMomentum(network, UNNOTICED)) {
      List<Samples> batches = new ArrayList<>();
      for (int i = 0; i < BATCHES; i++) {
        batches.add(samples(arena, local, network.loss(), item.samples()));
      }
      Samples samples = batches.getFirst();
      LayerFigures.Turn turn = figures.new Turn(local);
      TrainingStep step = TrainingStep.of(SEED, 0);
      long before = engine.memory().current();
      engine.resetPeak();
      pass(network, samples, step);
      if (item.inner().axes().isEmpty()) {
        kept.add((engine.memory().peak() - before) / counted(local, item.samples()));
      }
      int runs = (int) Math.clamp(seconds / pass(network, samples, step), FEWEST, MOST);
      List<double[]> own = new ArrayList<>();
      for (int run = 0; run < runs; run++) {
        // As in training, parameters change between steps, and samples are new ones.
        boolean first = run % item.passes() == 0;
        if (first) {
          optimizer.step(RATE);
        }
        TrainingStep next = (first ? step : step.accumulating()).withTimer(turn);
        Samples newSamples = batches.get(run % BATCHES);
        all.barrier();
        long began = System.nanoTime();
        double _ = network.forwardBackward(newSamples, next);
        long took = System.nanoTime() - began;
        turn.end(took);
        own.add(new double[] {took / 1e9});
      }
      turn.finish(item.samples());
      waits.add(waited(own));
      if (!shared && item.inner().size() > 1) {
        waitsAtExchanges.add(waited(turn.stretches()));
      }
    }
  }

  /**
   * How much longer the slowest ranks of each run take than all on average.
   *
   * @param own seconds of this rank in each run, from meeting to meeting
   */
  private double waited(List<double[]> own) {
    int meetings = own.getFirst().length;
    double[] slowest = own.stream().flatMapToDouble(Arrays::stream).toArray();
    double[] sums = slowest.clone();
    all.allreduce(MemorySegment.ofArray(slowest), DType.FLOAT64, ReduceOp.MAX);
    all.allreduce(MemorySegment.ofArray(sums), DType.FLOAT64, ReduceOp.SUM);
    double[] shares = new double[own.size()];
    for (int run = 0; run < shares.length; run++) {
      double longest = 0;
      double sum = 0;
      for (int i = run * meetings; i < (run + 1) * meetings; i++) {
        longest += slowest[i];
        sum += sums[i];
      }
      shares[run] = longest * all.size() / sum - 1;
    }
    Arrays.sort(shares);
    return shares[shares.length / 2];
  }

  /** Seconds of the slowest rank. */
  private double pass(Network network, Samples samples, TrainingStep step) {
    all.barrier();
    long began = System.nanoTime();
    double _ = network.forwardBackward(samples, step);
    double[] slowest = {(System.nanoTime() - began) / 1e9};
    all.allreduce(MemorySegment.ofArray(slowest), DType.FLOAT64, ReduceOp.MAX);
    return slowest[0];
  }

  /** Bytes of inputs and outputs of all layers, and of as many gradients. */
  private static double counted(LocalNetwork local, int samples) {
    Map<String, Shape> shapes = local.spec().shapes();
    double elements = 0;
    for (Node node : local.spec().nodes()) {
      elements += shapes.get(node.name()).elements();
      for (String input : node.inputs()) {
        elements += shapes.get(input).elements();
      }
    }
    return 2 * elements * samples * Float.BYTES;
  }

  private static Samples samples(Arena arena, LocalNetwork local, Loss loss, int count) {
    SplittableRandom random = SEED.random();
    long own = local.spec().input().elements() * local.inputSamples().count(count);
    MemorySegment inputs = floats(arena, own, random);
    int classes = local.whole().classes();
    MemorySegment targets =
        switch (loss.target()) {
          case LABEL -> {
            MemorySegment labels = arena.allocate((long) count * Long.BYTES, 64);
            for (int i = 0; i < count; i++) {
              labels.setAtIndex(ValueLayout.JAVA_LONG, i, random.nextInt(classes));
            }
            yield labels;
          }
          case VALUES -> floats(arena, (long) classes * count, random);
        };
    return new Samples(inputs, targets, count);
  }

  private static MemorySegment floats(Arena arena, long count, SplittableRandom random) {
    MemorySegment values = arena.allocate(Math.max(1, count) * Float.BYTES, 64);
    for (long i = 0; i < count; i++) {
      values.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextDouble(-1, 1));
    }
    return values;
  }
}
