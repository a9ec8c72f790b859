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

  /**
   * Whether the backward pass takes channels first: on GPUs, with channels last, the engine's
   * kernel forgets the padding (seen in libtorch 2.11).
   */
  private final boolean channelsFirst;

  AveragePoolLayer(AveragePool spec, Shape input, boolean accelerated) {
    windows = Torch.windows(spec.window().over(input.extents().size() - 1));
    ceil = spec.ceil();
    channelsFirst = accelerated && windows.padded();
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    return new Pass(input, Functions.averagePool(input, windows, ceil));
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    if (channelsFirst) {
      Tensor gradient =
          Functions.averagePoolBackward(
              outputGradient.contiguous(), pass.input().contiguous(), windows, ceil);
      return List.of(Torch.fast(gradient));
    }
    return List.of(Functions.averagePoolBackward(outputGradient, pass.input(), windows, ceil));
  }
}
