package dev.tandem.nn;

import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** A loss that Java code computes for one sample after the other. */
record SampleLosses(Target target, SampleLoss loss) implements Loss {

  @Override
  public Tensor meanLoss(Tensor outputs, Tensor targets) {
    Tensor mean = Tensor.emptyOnHost(ScalarType.DOUBLE, 1);
    mean.memory().set(ValueLayout.JAVA_DOUBLE, 0, compute(outputs, targets, null));
    return mean.onDevice().sum();
  }

  @Override
  public Tensor gradient(Tensor outputs, Tensor targets) {
    Tensor gradient = Tensor.emptyOnHost(ScalarType.FLOAT, outputs.sizes());
    compute(outputs, targets, gradient.memory());
    return gradient.onDevice().div_((double) outputs.size(0)).to(outputs.type());
  }

  private double compute(Tensor outputs, Tensor targets, MemorySegment gradients) {
    int samples = (int) outputs.size(0);
    int width = (int) (outputs.numel() / samples);
    MemorySegment given = outputs.to(ScalarType.FLOAT).contiguous().onHost().memory();
    MemorySegment wanted = targets.to(ScalarType.FLOAT).contiguous().onHost().memory();
    float[] output = new float[width];
    float[] target = new float[target() == Target.LABEL ? 1 : width];
    float[] gradient = new float[width];
    double sum = 0;
    for (int i = 0; i < samples; i++) {
      MemorySegment.copy(given, ValueLayout.JAVA_FLOAT, row(i, width), output, 0, width);
      MemorySegment.copy(
          wanted, ValueLayout.JAVA_FLOAT, row(i, target.length), target, 0, target.length);
      Arrays.fill(gradient, 0);
      sum += loss.of(output, target, gradient);
      if (gradients != null) {
        MemorySegment.copy(gradient, 0, gradients, ValueLayout.JAVA_FLOAT, row(i, width), width);
      }
    }
    return sum / samples;
  }

  private static long row(int sample, int width) {
    return (long) sample * width * Float.BYTES;
  }
}
