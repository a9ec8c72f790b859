package dev.tandem.bench.strategies;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * What a turn's steps took, for each step.
 *
 * @param seconds of the slowest rank
 * @param copy seconds of packing and unpacking, mean of ranks
 * @param exchange seconds in exchanges, likewise
 * @param sync seconds of waiting for sums of gradients, and for parameters, likewise
 * @param idle seconds waiting for other stages, likewise
 * @param bytes sent by all ranks
 * @param peak bytes that the tensors of the rank that needs most had at most
 * @param layers of the whole network, each of the ranks that it takes longest
 */
record StepFigures(
    double seconds,
    double copy,
    double exchange,
    double sync,
    double idle,
    double bytes,
    double peak,
    List<LayerSeconds> layers) {

  private static final int FIGURES = 7;

  private static final int PER_LAYER = 3;

  StepFigures {
    layers = List.copyOf(layers);
  }

  /** Those of all ranks, which all call this. */
  StepFigures ofAll(Communicator ranks) {
    double[] most = values();
    double[] sums = most.clone();
    ranks.allreduce(MemorySegment.ofArray(most), DType.FLOAT64, ReduceOp.MAX);
    ranks.allreduce(MemorySegment.ofArray(sums), DType.FLOAT64, ReduceOp.SUM);
    for (int i = 1; i <= 4; i++) {
      most[i] = sums[i] / ranks.size();
    }
    most[5] = sums[5];
    return of(most);
  }

  private double[] values() {
    return DoubleStream.concat(
            DoubleStream.of(seconds, copy, exchange, sync, idle, bytes, peak),
            layers.stream()
                .flatMapToDouble(
                    each -> DoubleStream.of(each.compute(), each.copy(), each.transfer())))
        .toArray();
  }

  private static StepFigures of(double[] values) {
    List<LayerSeconds> layers = new ArrayList<>();
    for (int i = FIGURES; i < values.length; i += PER_LAYER) {
      layers.add(new LayerSeconds(values[i], values[i + 1], values[i + 2]));
    }
    return new StepFigures(
        values[0], values[1], values[2], values[3], values[4], values[5], values[6], layers);
  }

  String line() {
    return DoubleStream.of(values())
        .mapToObj(value -> String.format(Locale.ROOT, "%.9f", value))
        .collect(Collectors.joining(" "));
  }

  static StepFigures of(String[] words, int at) {
    return of(Arrays.stream(words, at, words.length).mapToDouble(Double::parseDouble).toArray());
  }
}
