package dev.tandem.parallel.stage;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.Engine;
import dev.tandem.nn.LayerPasses;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.LayerCost;
import dev.tandem.nn.spec.NetworkSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * What the layers of a network cost in a training step: measured one by one, or counted where the
 * network is too large for that.
 */
public final class LayerTimes {

  private static final int RUNS = 3;

  /** Operations of one run over all layers from which on they are counted, not measured. */
  private static final double MOST_OPERATIONS = 2e11;

  /** What one operation is taken to cost where operations are counted, in seconds. */
  private static final double OPERATION_SECONDS = 1 / 3e10;

  private static final long ALIGNMENT = 64;

  private LayerTimes() {}

  /**
   * The seconds that each layer takes for both passes.
   *
   * @param samples of a piece
   * @param frozen names of layers that do not learn
   */
  public static double[] of(
      Engine engine, NetworkSpec network, int samples, DType type, Set<String> frozen) {
    List<LayerCost> costs = LayerCost.of(network, frozen);
    double operations = 0;
    double[] seconds = new double[costs.size()];
    for (int i = 0; i < seconds.length; i++) {
      double own = ((double) costs.get(i).forward() + costs.get(i).backward()) * samples;
      operations += own;
      seconds[i] = own * OPERATION_SECONDS;
    }
    if (operations > MOST_OPERATIONS) {
      return seconds;
    }
    for (int i = 0; i < seconds.length; i++) {
      seconds[i] =
          network.nodes().get(i).layer() instanceof Exchange
              ? 0
              : measure(engine, network, i, samples, type, costs.get(i));
    }
    return seconds;
  }

  private static double measure(
      Engine engine, NetworkSpec network, int place, int samples, DType type, LayerCost cost) {
    List<Shape> shapes = network.layerInputs().get(place);
    boolean learnsBefore = cost.backward() > 0 && place > 0;
    try (Arena arena = Arena.ofConfined();
        LayerPasses layer =
            new LayerPasses(
                engine, network.nodes().get(place).layer(), shapes, type, new Seed(place))) {
      List<MemorySegment> inputs = new ArrayList<>();
      List<MemorySegment> inputGradients = new ArrayList<>();
      for (Shape shape : shapes) {
        inputs.add(random(arena, shape.elements() * samples, type));
        inputGradients.add(arena.allocate(shape.elements() * samples * type.bytes(), ALIGNMENT));
      }
      long outputs = layer.outputShape().elements() * samples;
      MemorySegment output = arena.allocate(outputs * type.bytes(), ALIGNMENT);
      MemorySegment gradient = random(arena, outputs, type);
      double[] runs = new double[RUNS];
      for (int run = 0; run < RUNS; run++) {
        long begin = System.nanoTime();
        layer.forward(inputs, samples, TrainingStep.of(new Seed(0), run), output);
        if (cost.parameters() > 0 && cost.backward() > 0) {
          layer.backwardWeights(gradient);
        }
        if (learnsBefore) {
          layer.backwardData(gradient, inputGradients);
        }
        runs[run] = (System.nanoTime() - begin) / 1e9;
      }
      Arrays.sort(runs);
      return runs[RUNS / 2];
    }
  }

  private static MemorySegment random(Arena arena, long elements, DType type) {
    MemorySegment memory = arena.allocate(elements * type.bytes(), ALIGNMENT);
    SplittableRandom random = new SplittableRandom(elements);
    for (long i = 0; i < elements; i++) {
      double value = random.nextDouble(-1, 1);
      if (type == DType.FLOAT64) {
        memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
      } else {
        memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
      }
    }
    return memory;
  }
}
