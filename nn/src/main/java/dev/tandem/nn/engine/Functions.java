package dev.tandem.nn.engine;

import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;

/**
 * What layers compute by one function of the engine: windows, normalisations, activations, and the
 * way back through each. Results belong to the innermost scope.
 */
public final class Functions {

  /** Tensors in one call, which have room in its memory. */
  private static final int AT_ONCE = 500;

  /** Two results. */
  public record Two(Tensor first, Tensor second) {}

  /** Three results; those that were not asked for must not be touched. */
  public record Three(Tensor first, Tensor second, Tensor third) {}

  private Functions() {}

  // Convolutions and products

  /** A convolution; the bias may be null. */
  public static Tensor convolution(
      Tensor input, Tensor weight, Tensor bias, Windows windows, long groups) {
    return returning(Operation.CONVOLUTION)
        .tensor(input)
        .tensor(weight)
        .optional(bias)
        .numbers(windows.stride())
        .numbers(windows.padding())
        .numbers(windows.dilation())
        .flag(false)
        .numbers(new long[windows.dimensions()])
        .symbolic(groups)
        .result();
  }

  /** The gradients by input, weight and bias; without a bias its length is null. */
  public static Three convolutionBackward(
      Tensor gradient,
      Tensor input,
      Tensor weight,
      long[] biasSizes,
      Windows windows,
      long groups,
      Mask wanted) {
    return three(
        returningTuple(Operation.CONVOLUTION_BACKWARD)
            .tensor(gradient)
            .tensor(input)
            .tensor(weight)
            .optionalNumbers(biasSizes)
            .numbers(windows.stride())
            .numbers(windows.padding())
            .numbers(windows.dilation())
            .flag(false)
            .numbers(new long[windows.dimensions()])
            .symbolic(groups)
            .mask(wanted));
  }

  /** The product with the transposed weight; the bias may be null. */
  public static Tensor linear(Tensor input, Tensor weight, Tensor bias) {
    return returning(Operation.LINEAR).tensor(input).tensor(weight).optional(bias).result();
  }

  // Pools

  /** The largest element of each window, and which it was. */
  public static Two maxPool(Tensor input, Windows windows, boolean ceil) {
    return two(
        returningTuple(
                windows.dimensions() == 2
                    ? Operation.MAX_POOL2D_WITH_INDICES
                    : Operation.MAX_POOL3D_WITH_INDICES)
            .tensor(input)
            .numbers(windows.kernel())
            .numbers(windows.stride())
            .numbers(windows.padding())
            .numbers(windows.dilation())
            .flag(ceil));
  }

  public static Tensor maxPoolBackward(
      Tensor gradient, Tensor input, Windows windows, boolean ceil, Tensor indices) {
    return returning(
            windows.dimensions() == 2
                ? Operation.MAX_POOL2D_WITH_INDICES_BACKWARD
                : Operation.MAX_POOL3D_WITH_INDICES_BACKWARD)
        .tensor(gradient)
        .tensor(input)
        .numbers(windows.kernel())
        .numbers(windows.stride())
        .numbers(windows.padding())
        .numbers(windows.dilation())
        .flag(ceil)
        .tensor(indices)
        .result();
  }

  /** The mean of each window, padding counted. */
  public static Tensor averagePool(Tensor input, Windows windows, boolean ceil) {
    return returning(windows.dimensions() == 2 ? Operation.AVG_POOL2D : Operation.AVG_POOL3D)
        .tensor(input)
        .numbers(windows.kernel())
        .numbers(windows.stride())
        .numbers(windows.padding())
        .flag(ceil)
        .flag(true)
        .optionalNumber(null)
        .result();
  }

  public static Tensor averagePoolBackward(
      Tensor gradient, Tensor input, Windows windows, boolean ceil) {
    return returning(
            windows.dimensions() == 2
                ? Operation.AVG_POOL2D_BACKWARD
                : Operation.AVG_POOL3D_BACKWARD)
        .tensor(gradient)
        .tensor(input)
        .numbers(windows.kernel())
        .numbers(windows.stride())
        .numbers(windows.padding())
        .flag(ceil)
        .flag(true)
        .optionalNumber(null)
        .result();
  }

  /** The largest element along a dimension, and where it was. */
  public static Two max(Tensor input, int dimension) {
    return two(returningTuple(Operation.MAX_DIM).tensor(input).word(dimension).flag(false));
  }

  // Normalisations

  /** The biased variance and the mean over these dimensions. */
  public static Two varianceAndMean(Tensor input, long... dimensions) {
    return two(
        returningTuple(Operation.VAR_MEAN_DIM)
            .tensor(input)
            .optionalNumbers(dimensions)
            .flag(false)
            .flag(false));
  }

  /** The normalised batch, and in training its mean and inverse deviation. */
  public static Three batchNorm(
      Tensor input,
      Tensor weight,
      Tensor bias,
      Tensor runningMean,
      Tensor runningVariance,
      boolean training,
      double momentum,
      double epsilon) {
    return three(
        returningTuple(Operation.NATIVE_BATCH_NORM)
            .tensor(input)
            .optional(weight)
            .optional(bias)
            .optional(runningMean)
            .optional(runningVariance)
            .flag(training)
            .real(momentum)
            .real(epsilon));
  }

  /** The gradients by input, weight and bias; statistics that do not apply are null. */
  public static Three batchNormBackward(
      Tensor gradient,
      Tensor input,
      Tensor weight,
      Tensor runningMean,
      Tensor runningVariance,
      Tensor savedMean,
      Tensor savedInverse,
      boolean training,
      double epsilon,
      Mask wanted) {
    return three(
        returningTuple(Operation.NATIVE_BATCH_NORM_BACKWARD)
            .tensor(gradient)
            .tensor(input)
            .optional(weight)
            .optional(runningMean)
            .optional(runningVariance)
            .optional(savedMean)
            .optional(savedInverse)
            .flag(training)
            .real(epsilon)
            .mask(wanted));
  }

  /**
   * A batch normalisation on a GPU.
   *
   * @param reserve what the kernel keeps for itself
   * @param kernel which one it was
   */
  public record Normalised(
      Tensor output, Tensor mean, Tensor inverse, Tensor reserve, long kernel) {}

  /** As {@link #batchNorm} by the kernel that is fastest on a GPU. */
  public static Normalised batchNormOnDevice(
      Tensor input,
      Tensor weight,
      Tensor bias,
      Tensor runningMean,
      Tensor runningVariance,
      boolean training,
      double momentum,
      double epsilon) {
    CallBlock call =
        returningTuple(Operation.BATCH_NORM_IMPL_INDEX)
            .tensor(input)
            .optional(weight)
            .optional(bias)
            .optional(runningMean)
            .optional(runningVariance)
            .flag(training)
            .real(momentum)
            .real(epsilon)
            .flag(true);
    call.call();
    return new Normalised(
        taken(call, 4),
        taken(call, 3),
        taken(call, 2),
        taken(call, 1),
        Native.read(call.answer().address()));
  }

  /** The gradients by input, weight and bias of {@link #batchNormOnDevice}. */
  public static Three batchNormBackwardOnDevice(
      Tensor gradient,
      Tensor input,
      Tensor weight,
      Tensor runningMean,
      Tensor runningVariance,
      Normalised pass,
      boolean training,
      double epsilon,
      Mask wanted) {
    return three(
        returningTuple(Operation.BATCH_NORM_IMPL_INDEX_BACKWARD)
            .word(pass.kernel())
            .tensor(input)
            .tensor(gradient)
            .optional(weight)
            .optional(runningMean)
            .optional(runningVariance)
            .optional(pass.mean())
            .optional(pass.inverse())
            .flag(training)
            .real(epsilon)
            .mask(wanted)
            .tensor(pass.reserve()));
  }

  /** Places in space of a batch of images or volumes, which may have no samples. */
  public static long places(Tensor input) {
    return LongStream.range(2, input.dim())
        .map(d -> input.size((int) d))
        .reduce(1, (a, b) -> a * b);
  }

  /** The normalised groups of channels, their means and inverse deviations. */
  public static Three groupNorm(
      Tensor input, Tensor weight, Tensor bias, long groups, double epsilon) {
    long batch = input.size(0);
    long channels = input.size(1);
    return three(
        returningTuple(Operation.NATIVE_GROUP_NORM)
            .tensor(input)
            .optional(weight)
            .optional(bias)
            .symbolic(batch)
            .symbolic(channels)
            .symbolic(places(input))
            .word(groups)
            .real(epsilon));
  }

  public static Three groupNormBackward(
      Tensor gradient,
      Tensor input,
      Tensor mean,
      Tensor inverse,
      Tensor weight,
      long groups,
      Mask wanted) {
    long batch = input.size(0);
    long channels = input.size(1);
    return three(
        returningTuple(Operation.NATIVE_GROUP_NORM_BACKWARD)
            .tensor(gradient)
            .tensor(input)
            .tensor(mean)
            .tensor(inverse)
            .optional(weight)
            .symbolic(batch)
            .symbolic(channels)
            .symbolic(places(input))
            .word(groups)
            .mask(wanted));
  }

  /** The normalised last dimension, its means and inverse deviations. */
  public static Three layerNorm(Tensor input, Tensor weight, Tensor bias, double epsilon) {
    return three(
        returningTuple(Operation.NATIVE_LAYER_NORM)
            .tensor(input)
            .numbers(input.size(input.dim() - 1))
            .optional(weight)
            .optional(bias)
            .real(epsilon));
  }

  public static Three layerNormBackward(
      Tensor gradient,
      Tensor input,
      Tensor mean,
      Tensor inverse,
      Tensor weight,
      Tensor bias,
      Mask wanted) {
    return three(
        returningTuple(Operation.NATIVE_LAYER_NORM_BACKWARD)
            .tensor(gradient)
            .tensor(input)
            .numbers(input.size(input.dim() - 1))
            .tensor(mean)
            .tensor(inverse)
            .optional(weight)
            .optional(bias)
            .mask(wanted));
  }

  // Functions of each element

  public static Tensor relu(Tensor input) {
    return input.unary(Operation.RELU);
  }

  /** Changes its input and returns it. */
  public static Tensor reluInPlace(Tensor input) {
    begin(Operation.RELU_IN_PLACE).tensor(input).call();
    return input;
  }

  public static Tensor reluBackward(Tensor gradient, Tensor output) {
    return returning(Operation.THRESHOLD_BACKWARD)
        .tensor(gradient)
        .tensor(output)
        .scalar(0)
        .result();
  }

  public static Tensor leakyRelu(Tensor input, double slope) {
    return input.withScalar(Operation.LEAKY_RELU, slope);
  }

  public static Tensor leakyReluBackward(Tensor gradient, Tensor input, double slope) {
    return returning(Operation.LEAKY_RELU_BACKWARD)
        .tensor(gradient)
        .tensor(input)
        .scalar(slope)
        .flag(false)
        .result();
  }

  public static Tensor gelu(Tensor input) {
    return returning(Operation.GELU).tensor(input).noneText().result();
  }

  public static Tensor geluBackward(Tensor gradient, Tensor input) {
    return returning(Operation.GELU_BACKWARD).tensor(gradient).tensor(input).noneText().result();
  }

  public static Tensor sigmoid(Tensor input) {
    return input.unary(Operation.SIGMOID);
  }

  public static Tensor sigmoidBackward(Tensor gradient, Tensor output) {
    return gradient.binary(Operation.SIGMOID_BACKWARD, output);
  }

  public static Tensor tanh(Tensor input) {
    return input.unary(Operation.TANH);
  }

  public static Tensor tanhBackward(Tensor gradient, Tensor output) {
    return gradient.binary(Operation.TANH_BACKWARD, output);
  }

  public static Tensor silu(Tensor input) {
    return input.unary(Operation.SILU);
  }

  public static Tensor siluBackward(Tensor gradient, Tensor input) {
    return gradient.binary(Operation.SILU_BACKWARD, input);
  }

  // Others

  public static Tensor softmax(Tensor input, int dimension) {
    return alongDimension(Operation.SOFTMAX, input, dimension);
  }

  public static Tensor logSoftmax(Tensor input, int dimension) {
    return alongDimension(Operation.LOG_SOFTMAX, input, dimension);
  }

  private static Tensor alongDimension(Operation operation, Tensor input, int dimension) {
    return returning(operation).tensor(input).word(dimension).absent().result();
  }

  /** The tensors one after the other along a dimension. */
  public static Tensor concatenate(int dimension, Tensor... tensors) {
    return returning(Operation.CAT).tensors(tensors).word(dimension).result();
  }

  /** With zeros around it: how many before and after, from the last dimension backwards. */
  public static Tensor pad(Tensor input, long... widths) {
    return returning(Operation.CONSTANT_PAD_ND).tensor(input).numbers(widths).scalar(0).result();
  }

  /** Copies each tensor over the one in the same place of the other list. */
  public static void copyAll(List<Tensor> to, List<Tensor> from) {
    for (int first = 0; first < to.size(); first += AT_ONCE) {
      int end = Math.min(to.size(), first + AT_ONCE);
      begin(Operation.FOREACH_COPY_IN_PLACE)
          .list(to.subList(first, end))
          .list(from.subList(first, end))
          .flag(false)
          .call();
    }
  }

  // Updates of many parameters at once, on a device

  /** v = momentum v + g + decay p; p -= rate v, or with Nesterov p -= rate (g + momentum v). */
  public static void sgd(
      List<Tensor> parameters,
      List<Tensor> gradients,
      List<Tensor> directions,
      double decay,
      double momentum,
      double rate,
      boolean nesterov) {
    for (int first = 0; first < parameters.size(); first += AT_ONCE) {
      int end = Math.min(parameters.size(), first + AT_ONCE);
      begin(Operation.FUSED_SGD)
          .list(parameters.subList(first, end))
          .list(gradients.subList(first, end))
          .list(directions.subList(first, end))
          .real(decay)
          .real(momentum)
          .real(rate)
          .real(0)
          .flag(nesterov)
          .flag(false)
          .flag(false)
          .optional(null)
          .optional(null)
          .call();
    }
  }

  /**
   * Adam, or AdamW if weights shrink by themselves.
   *
   * @param steps a float32 on the device: how many steps there are with this one
   */
  public static void adam(
      List<Tensor> parameters,
      List<Tensor> gradients,
      List<Tensor> means,
      List<Tensor> squares,
      Tensor steps,
      double rate,
      double meanDecay,
      double squareDecay,
      double decay,
      double epsilon,
      boolean decoupled) {
    for (int first = 0; first < parameters.size(); first += AT_ONCE) {
      int end = Math.min(parameters.size(), first + AT_ONCE);
      begin(decoupled ? Operation.FUSED_ADAMW : Operation.FUSED_ADAM)
          .list(parameters.subList(first, end))
          .list(gradients.subList(first, end))
          .list(means.subList(first, end))
          .list(squares.subList(first, end))
          .list(List.of())
          .list(Collections.nCopies(end - first, steps))
          .real(rate)
          .real(meanDecay)
          .real(squareDecay)
          .real(decay)
          .real(epsilon)
          .flag(false)
          .flag(false)
          .optional(null)
          .optional(null)
          .call();
    }
  }

  private static CallBlock begin(Operation operation) {
    return EngineThread.current().call.begin(operation);
  }

  private static CallBlock returning(Operation operation) {
    return EngineThread.current().call.returning(operation);
  }

  private static CallBlock returningTuple(Operation operation) {
    return EngineThread.current().call.returningTuple(operation);
  }

  // A std::tuple has its last element first in memory.

  private static Two two(CallBlock call) {
    call.call();
    return new Two(taken(call, 1), taken(call, 0));
  }

  private static Three three(CallBlock call) {
    call.call();
    return new Three(taken(call, 2), taken(call, 1), taken(call, 0));
  }

  /** One element of the tuple, moved into a handle of its own. */
  private static Tensor taken(CallBlock call, int word) {
    long handle = Native.newHandle();
    Native.write(handle, Native.read(call.answer().address() + 8L * word));
    return Tensor.made(handle);
  }
}
