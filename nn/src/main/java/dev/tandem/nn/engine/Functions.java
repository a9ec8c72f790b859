package dev.tandem.nn.engine;

import java.util.stream.LongStream;

/**
 * What layers compute by one function of the engine: windows, normalisations, activations, and the
 * way back through each. Results belong to the innermost scope.
 */
public final class Functions {

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
