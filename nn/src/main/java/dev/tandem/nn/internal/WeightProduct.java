package dev.tandem.nn.internal;

import dev.tandem.nn.spec.Window;
import java.util.List;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * The gradient of a convolution's weights as one product of matrices: the output gradient, a row
 * for each place of each sample, transposed, times what the kernel saw at each place.
 *
 * <p>The engine's own kernel for bfloat16 reaches the speed of float32 only where many filters meet
 * few places (512 filters on 4x4: 56 GFLOPS on the machine where it was measured), while its
 * product of matrices is as fast there as anywhere.
 */
final class WeightProduct {

  /** From here on the product is worth the copy of what the kernel saw. */
  private static final long LEAST_FILTERS = 256;

  private static final long MOST_PLACES = 64;

  private final List<Integer> kernel;
  private final List<Integer> stride;
  private final List<Integer> padding;
  private final boolean simple;

  /** For a convolution with this window, already over all dimensions of space. */
  WeightProduct(Window window, int groups) {
    kernel = window.kernel();
    stride = window.stride();
    padding = window.padding();
    simple =
        kernel.size() == 2
            && groups == 1
            && window.dilation().stream().allMatch(dilation -> dilation == 1);
  }

  /** Whether it is the faster way. */
  boolean pays(Tensor input, Tensor outputGradient) {
    return simple
        && Torch.type(input) == ScalarType.BFloat16
        && outputGradient.size(1) >= LEAST_FILTERS
        && outputGradient.size(2) * outputGradient.size(3) <= MOST_PLACES;
  }

  /** The gradient, filters x channels x lines x columns, in channels-last order. */
  Tensor weightGradient(Tensor input, Tensor outputGradient) {
    long samples = input.size(0);
    long channels = input.size(1);
    long filters = outputGradient.size(1);
    long lines = outputGradient.size(2);
    long columns = outputGradient.size(3);
    long[] border = {padding.get(1), padding.get(1), padding.get(0), padding.get(0)};
    Tensor padded =
        padding.stream().allMatch(width -> width == 0)
            ? Torch.fast(input)
            : Torch.fast(torch.constant_pad_nd(input, border, new Scalar(0.0)));
    long line = padded.size(3) * channels; // elements of a line of pixels
    // What the kernel saw: its windows overlap in memory until they are copied.
    Tensor seen =
        padded
            .as_strided(
                new long[] {samples, lines, columns, kernel.get(0), kernel.get(1), channels},
                new long[] {
                  padded.size(2) * line,
                  stride.get(0) * line,
                  stride.get(1) * channels,
                  line,
                  channels,
                  1
                })
            .reshape(samples * lines * columns, kernel.get(0) * kernel.get(1) * channels);
    Tensor rows =
        Torch.fast(outputGradient).permute(0, 2, 3, 1).reshape(samples * lines * columns, filters);
    return rows.t()
        .mm(seen)
        .reshape(filters, kernel.get(0), kernel.get(1), channels)
        .permute(0, 3, 1, 2);
  }
}
