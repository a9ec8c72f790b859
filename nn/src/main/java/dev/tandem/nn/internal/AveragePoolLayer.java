package dev.tandem.nn.internal;

import dev.tandem.core.Shape;
import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.engine.Windows;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.Window;
import java.util.List;
import java.util.Optional;

/** The mean over windows. */
final class AveragePoolLayer implements Layer {

  private final Windows windows;
  private final boolean ceil;
  private final Optional<VectorAveragePool> vectors;

  AveragePoolLayer(AveragePool spec, Shape input) {
    Window window = spec.window().over(input.extents().size() - 1);
    windows = Torch.windows(window);
    ceil = spec.ceil();
    vectors =
        VectorUnit.present() && window.kernel().size() == 2
            ? Optional.of(
                new VectorAveragePool(ImageWindows.of(window, input, spec.output(List.of(input)))))
            : Optional.empty();
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    return new Pass(input, Functions.averagePool(input, windows, ceil));
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    Tensor input = pass.input();
    if (vectors.isPresent() && VectorUnit.serves(input)) {
      return List.of(vectors.get().backward(outputGradient));
    }
    return List.of(Functions.averagePoolBackward(outputGradient, input, windows, ceil));
  }
}
