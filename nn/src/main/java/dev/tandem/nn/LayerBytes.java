package dev.tandem.nn;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.internal.ConvolutionBytes;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Concatenation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerNorm;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.Movement;
import dev.tandem.nn.spec.Positions;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.nn.spec.TokenMean;
import dev.tandem.nn.spec.Tokens;
import java.util.List;

/**
 * Bytes of the tensors that the passes of one layer make for a batch: what {@link Engine#memory}
 * counts, without knowing the batch. Tensors with one number for a channel, a token or a sample are
 * left out, and so is what kernels need for themselves.
 *
 * @param output 0 if it is in the memory of the input
 * @param saved for the backward pass, beside the output
 * @param forward what else is there at the end of the forward pass, and is freed then
 * @param ownGradients whether gradients by the inputs have memory of their own, as much as the
 *     inputs; or that of the gradient by the output
 * @param data what else a backward pass by the inputs alone makes
 * @param weights what a backward pass by the parameters alone makes
 * @param both what a pass by both makes beside the gradients by the inputs
 */
public record LayerBytes(
    long output,
    long saved,
    long forward,
    boolean ownGradients,
    long data,
    long weights,
    long both) {

  /**
   * How a layer is used.
   *
   * @param parameters the type of parameters
   * @param activations the type of activations
   * @param inputSamples that its inputs have
   * @param outputSamples that its output has
   * @param parametersStay whether parameters are there between the passes
   * @param overwrites whether the output may take the place of the input
   * @param together whether a batch normalisation meets other batches
   */
  public record Use(
      DType parameters,
      DType activations,
      long inputSamples,
      long outputSamples,
      boolean parametersStay,
      boolean overwrites,
      boolean together) {}

  /**
   * Bytes of a batch in the engine's order and type; 0 if it is used where the caller has it.
   *
   * @param sample its shape
   */
  public static long input(Shape sample, long samples, DType parameters, DType activations) {
    return reorders(sample) || parameters != activations
        ? sample.elements() * samples * activations.bytes()
        : 0;
  }

  /** A pass that makes nothing but output and gradients. */
  private static LayerBytes of(long output) {
    return new LayerBytes(output, 0, 0, true, 0, 0, 0);
  }

  private LayerBytes saving(long bytes) {
    return new LayerBytes(output, bytes, forward, ownGradients, data, weights, both);
  }

  private LayerBytes making(long inForward, long inBackward) {
    return new LayerBytes(
        output, saved, inForward, ownGradients, inBackward, inBackward, inBackward);
  }

  private LayerBytes handingGradientsOn() {
    return new LayerBytes(output, saved, forward, false, data, weights, both);
  }

  /** Those of a layer with inputs of these shapes of a sample. */
  public static LayerBytes of(LayerSpec layer, List<Shape> inputs, Use use) {
    long size = use.activations.bytes();
    long output = layer.output(inputs).elements() * use.outputSamples * size;
    Shape shape = inputs.isEmpty() ? null : inputs.getFirst(); // a receive has none
    long input = shape == null ? 0 : shape.elements() * use.inputSamples * size;
    long exact = use.activations == DType.BFLOAT16 ? 2 * input : 0; // the same in float32
    return switch (layer) {
      case Activation spec when spec.function() == Activation.Function.RELU && use.overwrites ->
          of(0);
      case Activation _, AveragePool _ -> of(output);
      case Add _ -> of(output).making((inputs.size() - 2) * output, 0).handingGradientsOn();
      case BatchNorm spec when spec.ranks().isPresent() || use.together ->
          of(output).making(exact, input);
      case BatchNorm _, LayerNorm _ -> of(output);
      case Concatenation _ -> of(output);
      case Convolution spec -> convolution(spec, shape, use, output);
      case Dropout spec -> dropout(spec, shape, use, output);
      case Exchange spec -> exchange(spec, use, output);
      case Flatten _ when reorders(shape) -> of(output);
      case Flatten _, Tokens _ -> of(0).handingGradientsOn();
      case FullyConnected _ -> converting(layer, inputs, use, of(output));
      case GlobalPool spec ->
          spec.of() == GlobalPool.Kind.AVERAGE
              ? of(output)
              : of(output).saving(output / size * Long.BYTES);
      case GroupNorm spec when spec.ranks().isPresent() ->
          of(output).making(exact, 2 * input + 2 * exact);
      case GroupNorm _ -> groupNorm(input, reorders(shape) ? 2 * input : 0);
      case LocalResponseNorm spec -> responseNorm(spec, shape, input);
      case MaxPool _ -> of(output).saving(output / size * Long.BYTES);
      case Positions _ -> positions(output, shape.elements() * size);
      case SelfAttention spec -> converting(layer, inputs, use, attention(spec, shape, use, input));
      case TokenMean _ -> of(output);
    };
  }

  /** Whether memory in the engine's order, channels last, is not that of rows. */
  static boolean reorders(Shape sample) {
    List<Long> extents = sample.extents();
    return extents.size() > 2 && extents.getFirst() > 1 && sample.elements() > extents.getFirst();
  }

  private static LayerBytes positions(long output, long parameter) {
    return new LayerBytes(output, 0, 0, false, 0, parameter, parameter);
  }

  /**
   * The engine's kernel always makes the gradient by the input.
   *
   * @param rows copies of the input and of the gradient in the order that it wants
   */
  private static LayerBytes groupNorm(long input, long rows) {
    return new LayerBytes(input, 0, 0, true, rows, rows + input, rows);
  }

  private static LayerBytes convolution(Convolution spec, Shape shape, Use use, long output) {
    ConvolutionBytes bytes =
        ConvolutionBytes.of(
            spec,
            shape,
            use.inputSamples,
            ScalarType.of(use.activations),
            use.parameters != use.activations,
            use.parametersStay);
    return new LayerBytes(
        output, bytes.saved(), bytes.forward(), true, bytes.data(), bytes.weights(), bytes.both());
  }

  /** Weights in the type of activations are made on each use, or kept from the first on. */
  private static LayerBytes converting(
      LayerSpec layer, List<Shape> inputs, Use use, LayerBytes bytes) {
    if (use.parameters == use.activations) {
      return bytes;
    }
    long elements =
        layer.parameters(inputs).stream().mapToLong(each -> each.shape().elements()).sum();
    long copy = elements * use.activations.bytes();
    return new LayerBytes(
        bytes.output,
        bytes.saved + (use.parametersStay ? copy : 0),
        bytes.forward + (use.parametersStay ? 0 : copy),
        bytes.ownGradients,
        bytes.data + (use.parametersStay ? 0 : copy),
        bytes.weights + copy,
        bytes.both + (use.parametersStay ? copy : 2 * copy));
  }

  /** Factors are drawn in float32 and in rows. */
  private static LayerBytes dropout(Dropout spec, Shape shape, Use use, long output) {
    if (spec.probability() == 0) {
      return of(0).handingGradientsOn();
    }
    long drawn = output / use.activations.bytes() * Float.BYTES;
    boolean margins =
        spec.region().isPresent()
            && spec.region().get().dimensions().stream()
                .anyMatch(ranges -> ranges.held() < ranges.extent());
    int copies = (margins ? 1 : 0) + (reorders(shape) ? 1 : 0);
    return use.activations == DType.FLOAT32
        ? of(output).saving(drawn).making(copies * drawn, 0)
        : of(output).saving(output).making((1 + copies) * drawn, 0);
  }

  private static LayerBytes exchange(Exchange spec, Use use, long output) {
    boolean inPlace =
        spec.forward().isIdentity()
            || (spec.forward().collective() == Movement.Collective.ALLREDUCE && use.overwrites);
    LayerBytes bytes = of(inPlace || spec.role() == Exchange.Role.SEND ? 0 : output);
    return spec.backward().isIdentity() ? bytes.handingGradientsOn() : bytes;
  }

  private static LayerBytes responseNorm(LocalResponseNorm spec, Shape shape, long input) {
    long roots = spec.beta() == 0.75 ? 2 * input : 0;
    long sums = 0; // what the mean makes beside itself
    if (spec.across() == LocalResponseNorm.Across.CHANNELS) {
      long channels = shape.extents().getFirst();
      sums = input / channels * (channels + spec.size() - 1) + (spec.size() - 1) * input;
    }
    // x², the sums; s and its power are kept. Backward: a quotient, the sums, the mean.
    return of(input).saving(2 * input).making(input + sums + roots, 2 * input + sums);
  }

  /** For N samples of T tokens of E features, and H heads of W features together. */
  private static LayerBytes attention(SelfAttention spec, Shape shape, Use use, long input) {
    long tokens = shape.extents().getFirst();
    long rows = use.inputSamples * tokens * use.activations.bytes();
    long wide = rows * spec.width(shape.extents().getLast()); // N T W
    long square = rows * tokens * spec.heads(); // N H T T
    // Queries, keys, values and answers are kept, and the shares; they come out of the product, the
    // answers of each head, and the scores before and after they are scaled.
    // The gradients: by answers, in each form; by shares in five steps; by queries, keys, values,
    // head by head, side by side, and together.
    long backward = 11 * wide + 5 * square;
    return of(input).saving(4 * wide + square).making(4 * wide + 2 * square, backward);
  }
}
