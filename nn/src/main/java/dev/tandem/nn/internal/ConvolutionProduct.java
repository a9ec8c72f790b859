package dev.tandem.nn.internal;

import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Libtorch;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.Window;
import java.util.ArrayList;
import java.util.List;

/**
 * The three passes of a convolution as products of matrices. A row of one matrix is what the kernel
 * saw at one place of one sample, a row of the other the output (or its gradient) there, and the
 * weights are a matrix of a row for each filter.
 *
 * <p>The engine's own kernels are made for few filters on many places. Where many filters meet few
 * places they reach less than half of the speed of a product: 512 filters of 512 x 3 x 3 on 4x4, 32
 * samples, 1 thread, on the machine where it was measured: float32 76 to 88 GFLOPS against 131 to
 * 206, bfloat16 73 to 329 against 560. The engine's product of float32 matrices by an OpenBLAS with
 * threads of its own has only one, so there it pays with one thread only.
 *
 * <p>Without oneDNN (on aarch64 processors without bfloat16 instructions) the engine's own kernels
 * are products, too, one for each sample. Those over several samples took 0.66 to 1 of their time
 * for the output of float32 samples with several channels and 0.6 to 1.07 for the gradient of the
 * weights, least with three channels; that of the data only gains with many filters on few places.
 */
final class ConvolutionProduct {

  private static final int MANY_FILTERS = 512;

  /** Enough for the gradient of bfloat16 weights, the engine's weakest kernel. */
  private static final int QUITE_MANY_FILTERS = 256;

  /** What the kernel saw of several samples is at most this large, unless one has more. */
  private static final long MOST_SEEN_BYTES = 16L << 20;

  /** 8x8. */
  private static final long FEW_PLACES = 64;

  /** 4x4: more bfloat16 places fill the processor's matrix units without help. */
  private static final long VERY_FEW_PLACES = 16;

  private final List<Integer> kernel;
  private final List<Integer> stride;
  private final List<Integer> padding;
  private final int filters;
  private final boolean simple;

  /** For a convolution with this window, already over all dimensions of space. */
  ConvolutionProduct(Window window, int filters, int groups) {
    kernel = window.kernel();
    stride = window.stride();
    padding = window.padding();
    this.filters = filters;
    simple =
        kernel.size() == 2
            && groups == 1
            && window.dilation().stream().allMatch(dilation -> dilation == 1);
  }

  /**
   * What decides which way is faster.
   *
   * @param height of a sample, or its depth; then its other dimension of space
   * @param oneDnn whether the engine's own kernels are those of oneDNN
   * @param threads for each operation
   */
  record Input(
      ScalarType type,
      long samples,
      long channels,
      long height,
      long width,
      boolean oneDnn,
      int threads) {

    static Input of(Tensor input) {
      return new Input(
          input.type(),
          input.size(0),
          input.size(1),
          input.size(2),
          input.size(3),
          Libtorch.usesOneDnn(),
          Libtorch.threads());
    }
  }

  /** Whether it is the faster way of the forward pass. */
  boolean paysForward(Input input) {
    return replacesProducts(input) || paysForData(input);
  }

  /** Whether the engine would compute a product for each sample. */
  private boolean replacesProducts(Input input) {
    return simple && !input.oneDnn && input.type == ScalarType.FLOAT && input.channels > 1;
  }

  /** Whether it is the faster way to the gradient of the data. */
  boolean paysForData(Input input) {
    if (!simple || filters < MANY_FILTERS) {
      return false;
    }
    long places = places(input);
    return switch (input.type) {
      case BFLOAT16 -> places <= VERY_FEW_PLACES;
      case FLOAT -> places <= FEW_PLACES && (input.threads == 1 || !input.oneDnn);
      default -> false;
    };
  }

  /** Whether it is the faster way to the gradient of the weights. */
  boolean paysForWeights(Input input) {
    if (simple && input.type == ScalarType.BFLOAT16) {
      return filters >= QUITE_MANY_FILTERS && places(input) <= FEW_PLACES;
    }
    return paysForward(input);
  }

  /** Elements of what the kernel sees of a sample. */
  long seenElements(Input input) {
    return places(input) * kernel.get(0) * kernel.get(1) * input.channels;
  }

  /** Elements of a sample with its padding. */
  long paddedElements(Input input) {
    return input.channels
        * (input.height + 2 * padding.get(0))
        * (input.width + 2 * padding.get(1));
  }

  /** How many samples are computed at a time. */
  long samplesAtATime(Input input) {
    // Sums of bfloat16 are rounded at the end only: all samples at once.
    return input.type == ScalarType.BFLOAT16
        ? input.samples
        : Math.max(1, MOST_SEEN_BYTES / (seenElements(input) * Float.BYTES));
  }

  private long places(Input input) {
    return places(input.height, 0) * places(input.width, 1);
  }

  /** The output without bias. */
  Tensor forward(Tensor input, Tensor weight) {
    long places = lines(input) * columns(input);
    Tensor kernels = matrix(weight).t();
    Tensor output = Tensor.empty(input.type(), input.size(0) * places, filters);
    for (Samples part : parts(input)) {
      try (Scope _ = new Scope()) {
        output
            .narrow(0, part.first() * places, part.count() * places)
            .copy_(seen(part.of(input)).mm(kernels));
      }
    }
    return output.reshape(input.size(0), lines(input), columns(input), filters).permute(0, 3, 1, 2);
  }

  /** Some of the samples of a batch. */
  private record Samples(long first, long count) {
    Tensor of(Tensor batch) {
      return batch.narrow(0, first, count);
    }
  }

  /** The batch in as few parts as memory for what the kernel sees allows. */
  private List<Samples> parts(Tensor input) {
    long each = samplesAtATime(Input.of(input));
    List<Samples> parts = new ArrayList<>();
    for (long first = 0; first < input.size(0); first += each) {
      parts.add(new Samples(first, Math.min(each, input.size(0) - first)));
    }
    return parts;
  }

  /** The gradient by the input, which only tells its shape. */
  Tensor dataGradient(Tensor input, Tensor weight, Tensor outputGradient) {
    Tensor gradient =
        Tensor.empty(input.type(), input.size(0), input.size(2), input.size(3), input.size(1));
    Tensor kernels = matrix(weight);
    for (Samples part : parts(input)) {
      try (Scope _ = new Scope()) {
        part.of(gradient).copy_(dataGradientOf(part.of(input), kernels, part.of(outputGradient)));
      }
    }
    return gradient.permute(0, 3, 1, 2);
  }

  /** Of some samples, samples x lines x columns x channels. */
  private Tensor dataGradientOf(Tensor input, Tensor kernels, Tensor outputGradient) {
    long samples = input.size(0);
    long channels = input.size(1);
    long lines = lines(input);
    long columns = columns(input);
    Tensor parts =
        rows(outputGradient)
            .mm(kernels)
            .reshape(samples, lines, columns, kernel.get(0), kernel.get(1), channels);
    // Windows overlap: their parts are added up, without rounding in between.
    ScalarType type = input.type();
    ScalarType exact = type == ScalarType.BFLOAT16 ? ScalarType.FLOAT : type;
    long paddedLines = input.size(2) + 2 * padding.get(0);
    long paddedColumns = input.size(3) + 2 * padding.get(1);
    Tensor sum = Tensor.zeros(exact, samples, paddedLines, paddedColumns, channels);
    for (int line = 0; line < kernel.get(0); line++) {
      Tensor at = every(sum, 1, line, lines, stride.get(0));
      for (int column = 0; column < kernel.get(1); column++) {
        every(at, 2, column, columns, stride.get(1)).add_(parts.select(3, line).select(3, column));
      }
    }
    return sum.narrow(1, padding.get(0), input.size(2)).narrow(2, padding.get(1), input.size(3));
  }

  /** The gradient by the weights, filters x channels x lines x columns, channels last in memory. */
  Tensor weightGradient(Tensor input, Tensor outputGradient) {
    Tensor gradient =
        Tensor.zeros(input.type(), filters, kernel.get(0) * kernel.get(1) * input.size(1));
    for (Samples part : parts(input)) {
      try (Scope _ = new Scope()) {
        gradient.addmm_(rows(part.of(outputGradient)).t(), seen(part.of(input)));
      }
    }
    return gradient
        .reshape(filters, kernel.get(0), kernel.get(1), input.size(1))
        .permute(0, 3, 1, 2);
  }

  /** What the kernel saw, a row for each place: its windows overlap until they are copied. */
  private Tensor seen(Tensor input) {
    long channels = input.size(1);
    long[] border = {padding.get(1), padding.get(1), padding.get(0), padding.get(0)};
    Tensor padded =
        padding.stream().allMatch(width -> width == 0)
            ? Torch.fast(input)
            : Torch.fast(Functions.pad(input, border));
    long line = padded.size(3) * channels; // elements of a line of pixels
    long places = input.size(0) * lines(input) * columns(input);
    return padded
        .asStrided(
            new long[] {
              input.size(0), lines(input), columns(input), kernel.get(0), kernel.get(1), channels
            },
            new long[] {
              padded.size(2) * line,
              stride.get(0) * line,
              stride.get(1) * channels,
              line,
              channels,
              1
            })
        .reshape(places, kernel.get(0) * kernel.get(1) * channels);
  }

  /** A row for each filter, its elements in the order of {@link #seen}. */
  private Tensor matrix(Tensor weight) {
    return weight.permute(0, 2, 3, 1).reshape(filters, -1);
  }

  /** A row for each place. */
  private Tensor rows(Tensor output) {
    return Torch.fast(output).permute(0, 2, 3, 1).reshape(-1, filters);
  }

  /** So many slices of a dimension from the first one on, each so far from the one before. */
  private static Tensor every(Tensor tensor, int dimension, long first, long count, long distance) {
    long end = first + (count - 1) * distance + 1;
    return tensor.slice(dimension, first, end, distance);
  }

  private long lines(Tensor input) {
    return places(input.size(2), 0);
  }

  private long columns(Tensor input) {
    return places(input.size(3), 1);
  }

  private long places(long extent, int dimension) {
    long padded = extent + 2 * padding.get(dimension);
    return (padded - kernel.get(dimension)) / stride.get(dimension) + 1;
  }
}
