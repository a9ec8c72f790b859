package dev.tandem.nn.internal;

import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Functions.Two;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.GlobalPool;
import java.util.List;

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
        Two result = Functions.max(input.flatten(2, -1), 2);
        yield new Pass(input, result.first(), result.second());
      }
    };
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    Tensor input = pass.input();
    long batch = input.size(0);
    long channels = input.size(1);
    long places = Functions.places(input);
    Tensor column = outputGradient.reshape(batch, channels, 1);
    Tensor spread =
        switch (kind) {
          case AVERAGE -> column.div((double) places).expand(batch, channels, places);
          case MAX ->
              input
                  .flatten(2, -1)
                  .zerosLike()
                  .scatter_(2, pass.saved(0).reshape(batch, channels, 1), column);
        };
    return List.of(Torch.fast(spread.reshape(input.sizes())));
  }

  private static long[] space(Tensor tensor) {
    return tensor.dim() == 4 ? new long[] {2, 3} : new long[] {2, 3, 4};
  }
}
