package dev.tandem.nn.internal;

import dev.tandem.core.Shape;
import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Functions.Two;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.engine.Windows;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.Window;
import java.util.List;
import java.util.Optional;

/** The maximum over windows; saves which element of each window was the largest. */
final class MaxPoolLayer implements Layer {

  private final Optional<VectorMaxPool> vectors;

  private final Windows windows;
  private final boolean ceil;

  MaxPoolLayer(MaxPool spec, Shape input) {
    Window window = spec.window().over(input.extents().size() - 1);
    windows = Torch.windows(window);
    ceil = spec.ceil();
    vectors =
        VectorUnit.present()
                && window.kernel().size() == 2
                && window.dilation().stream().allMatch(d -> d == 1)
            ? Optional.of(
                new VectorMaxPool(ImageWindows.of(window, input, spec.output(List.of(input)))))
            : Optional.empty();
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    if (vectors.isPresent() && VectorUnit.serves(input)) {
      return vectors.get().forward(input);
    }
    Two result = Functions.maxPool(input, windows, ceil);
    return new Pass(input, result.first(), result.second());
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    Tensor places = pass.saved(0);
    if (places.type() == ScalarType.SHORT) {
      return List.of(vectors.orElseThrow().backward(pass, outputGradient));
    }
    return List.of(Functions.maxPoolBackward(outputGradient, pass.input(), windows, ceil, places));
  }
}
