package dev.tandem.nn;

import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * What the errors of one output of a network add up to over some samples.
 *
 * @param absolute sum of the absolute differences between output and target
 * @param squared sum of their squares
 * @param sum of the targets
 * @param sumOfSquares of the targets
 */
public record TargetSums(double absolute, double squared, double sum, double sumOfSquares) {

  /** Those of each output of a batch; both tensors are batch x outputs. */
  static List<TargetSums> of(Tensor outputs, Tensor targets) {
    int samples = (int) outputs.size(0);
    int width = (int) (outputs.numel() / samples);
    MemorySegment given = outputs.to(ScalarType.DOUBLE).contiguous().onHost().memory();
    MemorySegment wanted = targets.to(ScalarType.DOUBLE).contiguous().onHost().memory();
    List<TargetSums> all = new ArrayList<>();
    for (int output = 0; output < width; output++) {
      double absolute = 0;
      double squared = 0;
      double sum = 0;
      double sumOfSquares = 0;
      for (int sample = 0; sample < samples; sample++) {
        long at = (long) sample * width + output;
        double target = wanted.getAtIndex(ValueLayout.JAVA_DOUBLE, at);
        double difference = given.getAtIndex(ValueLayout.JAVA_DOUBLE, at) - target;
        absolute += Math.abs(difference);
        squared += difference * difference;
        sum += target;
        sumOfSquares += target * target;
      }
      all.add(new TargetSums(absolute, squared, sum, sumOfSquares));
    }
    return List.copyOf(all);
  }

  TargetSums scaled(double unit) {
    return new TargetSums(
        absolute * unit, squared * unit * unit, sum * unit, sumOfSquares * unit * unit);
  }

  TargetSums plus(TargetSums other) {
    return new TargetSums(
        absolute + other.absolute,
        squared + other.squared,
        sum + other.sum,
        sumOfSquares + other.sumOfSquares);
  }

  /**
   * The share of the targets' variance that the outputs explain, 1 at best; not a number if the
   * targets are all the same.
   */
  double explained(long samples) {
    double total = sumOfSquares - sum * sum / (double) samples;
    return total > 0 ? 1 - squared / total : Double.NaN;
  }
}
