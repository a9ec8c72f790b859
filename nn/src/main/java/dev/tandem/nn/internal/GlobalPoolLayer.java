package dev.tandem.nn.internal;

import dev.tandem.nn.spec.GlobalPool;
import java.util.List;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** The mean or maximum of each channel; of a maximum, saves its place. */
final class GlobalPoolLayer implements Layer {

  private final GlobalPool.Kind kind;

  GlobalPoolLayer(GlobalPool spec) {
    kind = spec.of();
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    return switch (kind) {
      case AVERAGE -> new Pass(input, input.mean(space(input)));
      case MAX -> {
        T_TensorTensor_T result = torch.max(input.flatten(2, -1), 2, false);
        yield new Pass(input, Torch.own(result.get0()), Torch.own(result.get1()));
      }
    };
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    Tensor input = pass.input();
    long batch = input.size(0);
    long channels = input.size(1);
    long places = input.numel() / batch / channels;
    Tensor column = outputGradient.reshape(batch, channels, 1);
    Tensor spread =
        switch (kind) {
          case AVERAGE -> column.div(new Scalar((double) places)).expand(batch, channels, places);
          case MAX ->
              torch
                  .zeros_like(input.flatten(2, -1))
                  .scatter_(2, pass.saved(0).reshape(batch, channels, 1), column);
        };
    return List.of(Torch.fast(spread.reshape(input.sizes())));
  }

  private static long[] space(Tensor tensor) {
    return tensor.dim() == 4 ? new long[] {2, 3} : new long[] {2, 3, 4};
  }
}
