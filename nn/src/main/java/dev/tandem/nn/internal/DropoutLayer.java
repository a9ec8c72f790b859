package dev.tandem.nn.internal;

import dev.tandem.core.Region;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.SampleShare;
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
  private final Region region;
  private final boolean hasMargins;
  private final SampleShare samples;

  DropoutLayer(Dropout spec, Shape input) {
    name = spec.name();
    probability = spec.probability();
    region = spec.region().orElseGet(() -> Region.all(input));
    hasMargins = region.dimensions().stream().anyMatch(ranges -> ranges.held() < ranges.extent());
    samples = spec.samples();
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
    long elements = region.local().elements();
    Tensor row = Tensor.emptyOnHost(ScalarType.FLOAT, batch * elements);
    if (hasMargins) {
      row = row.fullLike(1); // What lies beyond the border of the whole sample stays as it is.
    }
    MemorySegment memory = row.memory();
    float grown = (float) (1 / (1 - probability));
    for (int sample = 0; sample < batch; sample++) {
      Seed seed = step.derive(mode.firstSample() + samples.from(mode.samples()) + sample);
      long first = sample * elements;
      region.forEachRun(
          (whole, local, length) -> {
            SplittableRandom random = seed.random(whole);
            for (long i = first + local; i < first + local + length; i++) {
              memory.setAtIndex(
                  ValueLayout.JAVA_FLOAT, i, random.nextDouble() < probability ? 0 : grown);
            }
          });
    }
    return Torch.fast(row.onDevice().reshape(input.sizes())).to(input.type());
  }
}
