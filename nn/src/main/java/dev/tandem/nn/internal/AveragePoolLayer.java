package dev.tandem.nn.internal;

import dev.tandem.core.Shape;
import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.engine.Windows;
import dev.tandem.nn.spec.AveragePool;
import java.util.List;

/** The mean over windows. */
final class AveragePoolLayer implements Layer {

  private final Windows windows;
  private final boolean ceil;

  AveragePoolLayer(AveragePool spec, Shape input) {
    windows = Torch.windows(spec.window().over(input.extents().size() - 1));
    ceil = spec.ceil();
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    return new Pass(input, Functions.averagePool(input, windows, ceil));
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    return List.of(Functions.averagePoolBackward(outputGradient, pass.input(), windows, ceil));
  }
}
