package dev.tandem.nn.internal;

import dev.tandem.core.Shape;
import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Functions.Two;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.engine.Windows;
import dev.tandem.nn.spec.MaxPool;
import java.util.List;

/** The maximum over windows; saves which element of each window was the largest. */
final class MaxPoolLayer implements Layer {

  private final Windows windows;
  private final boolean ceil;

  MaxPoolLayer(MaxPool spec, Shape input) {
    windows = Torch.windows(spec.window().over(input.extents().size() - 1));
    ceil = spec.ceil();
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    Two result = Functions.maxPool(input, windows, ceil);
    return new Pass(input, result.first(), result.second());
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    return List.of(
        Functions.maxPoolBackward(outputGradient, pass.input(), windows, ceil, pass.saved(0)));
  }
}
