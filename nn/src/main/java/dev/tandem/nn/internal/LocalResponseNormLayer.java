package dev.tandem.nn.internal;

import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.engine.Windows;
import dev.tandem.nn.spec.LocalResponseNorm;
import java.util.Arrays;
import java.util.List;

/**
 * y = x s^-beta with s = k + alpha m(x²), where m is the mean over the window. Saves s and s^-beta.
 *
 * <p>With odd windows and zeros beyond the border m is symmetric: an element is in its neighbour's
 * window as the neighbour is in its own. So its transpose, which backward needs, is m again: dx =
 * dy s^-beta - 2 alpha beta x m(dy x s^(-beta-1)).
 */
final class LocalResponseNormLayer implements Layer {

  private static final double USUAL_BETA = 0.75;

  private final LocalResponseNorm spec;

  LocalResponseNormLayer(LocalResponseNorm spec) {
    this.spec = spec;
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    Tensor scale = mean(input.mul(input)).mul_(spec.alpha()).add_(spec.k());
    Tensor factor = factor(scale);
    return new Pass(input, input.mul(factor), scale, factor);
  }

  /** s^-beta. */
  private Tensor factor(Tensor scale) {
    if (spec.beta() == USUAL_BETA) {
      // Three quarters of a power are two roots, which take a fifth of the time.
      Tensor root = scale.rsqrt();
      return root.mul(root.sqrt());
    }
    return scale.pow(-spec.beta());
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    Tensor scale = pass.saved(0);
    Tensor direct = outputGradient.mul(pass.saved(1));
    Tensor through = mean(direct.mul(pass.input()).div_(scale)).mul_(pass.input());
    return List.of(direct.sub_(through, 2 * spec.alpha() * spec.beta()));
  }

  private Tensor mean(Tensor values) {
    return switch (spec.across()) {
      case CHANNELS -> meanOverChannels(values);
      case SPACE -> meanOverSpace(values);
    };
  }

  private Tensor meanOverChannels(Tensor values) {
    int half = spec.size() / 2;
    // The engine pads from the last dimension backwards; the channels are the second.
    long[] padding = new long[2 * (values.dim() - 1)];
    padding[padding.length - 2] = half;
    padding[padding.length - 1] = half;
    Tensor padded = Functions.pad(values, padding);
    Tensor sum = padded.narrow(1, 0, values.size(1));
    for (int i = 1; i < spec.size(); i++) {
      sum = sum.add(padded.narrow(1, i, values.size(1)));
    }
    return Torch.fast(sum.div(spec.size()));
  }

  private Tensor meanOverSpace(Tensor values) {
    int dimensions = values.dim() - 2;
    long[] kernel = filled(dimensions, spec.size());
    long[] stride = filled(dimensions, 1);
    long[] padding = filled(dimensions, spec.size() / 2);
    return Functions.averagePool(values, new Windows(kernel, stride, padding, stride), false);
  }

  private static long[] filled(int length, long value) {
    long[] values = new long[length];
    Arrays.fill(values, value);
    return values;
  }
}
