package dev.tandem.nn.internal;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.Window;
import java.util.List;
import java.util.Optional;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** The mean over windows. */
final class AveragePoolLayer implements Layer {

  private final long[] kernel;
  private final long[] stride;
  private final long[] padding;
  private final boolean ceil;
  private final LongOptional wholeWindow = new LongOptional();
  private final Optional<VectorAveragePool> vectors;

  AveragePoolLayer(AveragePool spec, Shape input) {
    Window window = spec.window().over(input.extents().size() - 1);
    kernel = Torch.longs(window.kernel());
    stride = Torch.longs(window.stride());
    padding = Torch.longs(window.padding());
    ceil = spec.ceil();
    vectors =
        VectorUnit.present() && kernel.length == 2
            ? Optional.of(
                new VectorAveragePool(ImageWindows.of(window, input, spec.output(List.of(input)))))
            : Optional.empty();
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    Tensor output =
        kernel.length == 2
            ? torch.avg_pool2d(input, kernel, stride, padding, ceil, true, wholeWindow)
            : torch.avg_pool3d(input, kernel, stride, padding, ceil, true, wholeWindow);
    return new Pass(input, output);
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    Tensor input = pass.input();
    if (vectors.isPresent() && VectorUnit.serves(input)) {
      return List.of(vectors.get().backward(outputGradient));
    }
    return List.of(
        kernel.length == 2
            ? torch.avg_pool2d_backward(
                outputGradient, input, kernel, stride, padding, ceil, true, wholeWindow)
            : torch.avg_pool3d_backward(
                outputGradient, input, kernel, stride, padding, ceil, true, wholeWindow));
  }

  @Override
  public void close() {
    wholeWindow.close();
  }
}
