package dev.tandem.nn.internal;

import dev.tandem.core.Seed;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.Dropout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Zeros at random; saves by what each element was multiplied.
 *
 * <p>The choice is drawn in Java, sample by sample and in the elements' order, so that its bits
 * depend neither on the engine's version nor on threads, ranks or the cut into batches.
 */
final class DropoutLayer implements Layer {

  private final String name;
  private final double probability;

  DropoutLayer(Dropout spec) {
    name = spec.name();
    probability = spec.probability();
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    if (!mode.training() || probability == 0) {
      return new Pass(input, input);
    }
    Tensor factors = factors(input, mode);
    return new Pass(input, input.mul(factors), factors);
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    return List.of(pass.saved().isEmpty() ? outputGradient : outputGradient.mul(pass.saved(0)));
  }

  private Tensor factors(Tensor input, Mode mode) {
    Seed step = mode.seed().derive("dropout").derive(name).derive(mode.step());
    int batch = Math.toIntExact(input.size(0));
    long elements = input.numel() / batch;
    Tensor row = Tensor.empty(ScalarType.FLOAT, input.numel());
    MemorySegment memory = row.memory();
    float grown = (float) (1 / (1 - probability));
    for (int sample = 0; sample < batch; sample++) {
      SplittableRandom random = step.derive(mode.firstSample() + sample).random();
      for (long i = sample * elements; i < (sample + 1) * elements; i++) {
        memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, random.nextDouble() < probability ? 0 : grown);
      }
    }
    return Torch.fast(row.reshape(input.sizes())).to(input.type());
  }
}
