package dev.tandem.bench.strategies;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * What a turn's steps took, for each step.
 *
 * @param seconds of the slowest rank
 * @param exchange seconds in exchanges, mean of ranks
 * @param sync seconds in sums of gradients after the backward pass
 * @param idle seconds waiting for other stages
 * @param bytes sent by all ranks
 */
record StepFigures(double seconds, double exchange, double sync, double idle, double bytes) {

  /** Those of all ranks, which all call this. */
  StepFigures ofAll(Communicator ranks) {
    double[] slowest = {seconds};
    double[] sums = {exchange, sync, idle, bytes};
    ranks.allreduce(MemorySegment.ofArray(slowest), DType.FLOAT64, ReduceOp.MAX);
    ranks.allreduce(MemorySegment.ofArray(sums), DType.FLOAT64, ReduceOp.SUM);
    return new StepFigures(
        slowest[0],
        sums[0] / ranks.size(),
        sums[1] / ranks.size(),
        sums[2] / ranks.size(),
        sums[3]);
  }

  String line() {
    return DoubleStream.of(seconds, exchange, sync, idle, bytes)
        .mapToObj(value -> String.format(Locale.ROOT, "%.9f", value))
        .collect(Collectors.joining(" "));
  }

  static StepFigures of(String[] words, int at) {
    double[] values = Arrays.stream(words, at, at + 5).mapToDouble(Double::parseDouble).toArray();
    return new StepFigures(values[0], values[1], values[2], values[3], values[4]);
  }
}
