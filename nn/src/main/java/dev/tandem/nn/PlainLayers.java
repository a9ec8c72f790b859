package dev.tandem.nn;

import dev.tandem.core.Shape;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

/** The layers without parameters. */
final class PlainLayers {

  private PlainLayers() {}

  /** The positive part. */
  static final class Relu implements Layer {

    private final Scalar zero = new Scalar(0.0);

    @Override
    public Pass forward(Tensor input) {
      return new Pass(input, torch.relu(input), null);
    }

    @Override
    public Tensor backwardData(Pass pass, Tensor outputGradient) {
      return torch.threshold_backward(outputGradient, pass.output(), zero);
    }

    @Override
    public void close() {
      zero.close();
    }
  }

  /** The maximum over windows; saves which element of each window was the largest. */
  static final class MaxPool implements Layer {

    private final long[] kernel;
    private final long[] stride;
    private final long[] padding = {0, 0};
    private final long[] dilation = {1, 1};

    MaxPool(LayerSpec.MaxPool spec) {
      kernel = new long[] {spec.kernel(), spec.kernel()};
      stride = new long[] {spec.stride(), spec.stride()};
    }

    @Override
    public Pass forward(Tensor input) {
      T_TensorTensor_T result =
          torch.max_pool2d_with_indices(input, kernel, stride, padding, dilation, false);
      return new Pass(input, result.get0(), result.get1());
    }

    @Override
    public Tensor backwardData(Pass pass, Tensor outputGradient) {
      return torch.max_pool2d_with_indices_backward(
          outputGradient, pass.input(), kernel, stride, padding, dilation, false, pass.saved());
    }
  }

  /** The mean of each channel. */
  static final class GlobalAveragePool implements Layer {

    private final long channels;
    private final long height;
    private final long width;
    private final Scalar pixels;

    GlobalAveragePool(Shape input) {
      channels = input.extents().get(0);
      height = input.extents().get(1);
      width = input.extents().get(2);
      pixels = new Scalar((double) (height * width));
    }

    @Override
    public Pass forward(Tensor input) {
      return new Pass(input, input.mean(2, 3), null);
    }

    @Override
    public Tensor backwardData(Pass pass, Tensor outputGradient) {
      long batch = pass.input().size(0);
      return outputGradient
          .div(pixels)
          .reshape(batch, channels, 1, 1)
          .expand(batch, channels, height, width)
          .contiguous(MemoryFormat.ChannelsLast);
    }

    @Override
    public void close() {
      pixels.close();
    }
  }

  /** All elements in a row, in the order channel, line, column whatever the order in memory. */
  static final class Flatten implements Layer {

    private final Shape shape;

    Flatten(Shape input) {
      shape = input;
    }

    @Override
    public Pass forward(Tensor input) {
      return new Pass(input, input.reshape(input.size(0), shape.elements()), null);
    }

    @Override
    public Tensor backwardData(Pass pass, Tensor outputGradient) {
      Tensor unrolled = outputGradient.reshape(pass.input().sizes());
      return shape.extents().size() == 3
          ? unrolled.contiguous(MemoryFormat.ChannelsLast)
          : unrolled;
    }
  }
}
