package dev.tandem.nn.internal;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.Window;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** The maximum over windows; saves which element of each window was the largest. */
final class MaxPoolLayer implements Layer {

  private final Optional<VectorMaxPool> vectors;

  private final long[] kernel;
  private final long[] stride;
  private final long[] padding;
  private final long[] dilation;
  private final boolean ceil;

  MaxPoolLayer(MaxPool spec, Shape input) {
    Window window = spec.window().over(input.extents().size() - 1);
    kernel = Torch.longs(window.kernel());
    stride = Torch.longs(window.stride());
    padding = Torch.longs(window.padding());
    dilation = Torch.longs(window.dilation());
    ceil = spec.ceil();
    vectors =
        VectorUnit.present() && kernel.length == 2 && Arrays.stream(dilation).allMatch(d -> d == 1)
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
    T_TensorTensor_T result =
        kernel.length == 2
            ? torch.max_pool2d_with_indices(input, kernel, stride, padding, dilation, ceil)
            : torch.max_pool3d_with_indices(input, kernel, stride, padding, dilation, ceil);
    return new Pass(input, Torch.own(result.get0()), Torch.own(result.get1()));
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    Tensor input = pass.input();
    Tensor places = pass.saved(0);
    if (Torch.type(places) == ScalarType.Short) {
      return List.of(vectors.orElseThrow().backward(pass, outputGradient));
    }
    return List.of(
        kernel.length == 2
            ? torch.max_pool2d_with_indices_backward(
                outputGradient, input, kernel, stride, padding, dilation, ceil, places)
            : torch.max_pool3d_with_indices_backward(
                outputGradient, input, kernel, stride, padding, dilation, ceil, places));
  }
}
