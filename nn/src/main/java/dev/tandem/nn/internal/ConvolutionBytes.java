package dev.tandem.nn.internal;

import dev.tandem.core.Shape;
import dev.tandem.nn.engine.Libtorch;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.internal.ConvolutionProduct.Input;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Window;

/**
 * Bytes of the tensors that the passes of {@link ConvolutionLayer} make with one thread for each
 * operation.
 *
 * @param saved the weight in the engine's order and the type of activations, if that is not the
 *     parameter itself; not kept of parameters that do not stay
 * @param forward beside that and the output
 * @param data beside the gradient by the input
 * @param weights of the pass by the weights
 * @param both of both passes, beside the gradient by the input
 */
public record ConvolutionBytes(long saved, long forward, long data, long weights, long both) {

  /**
   * Those of a layer for so many samples of this shape.
   *
   * @param mixed whether parameters are of another type
   * @param stay whether parameters stay
   */
  public static ConvolutionBytes of(
      Convolution spec, Shape input, long samples, ScalarType type, boolean mixed, boolean stay) {
    Window window = spec.window().over(input.extents().size() - 1);
    ConvolutionProduct product = new ConvolutionProduct(window, spec.filters(), spec.groups());
    Input what =
        new Input(
            type,
            samples,
            input.extents().get(0),
            input.extents().get(1),
            input.extents().get(2),
            Libtorch.willUseOneDnn(),
            1);
    long channels = input.extents().getFirst() / spec.groups();
    long places = window.kernel().stream().mapToLong(extent -> extent).reduce(1, (a, b) -> a * b);
    long elements = spec.filters() * channels * places;
    boolean reordered = channels > 1 && places > 1;
    long weight = reordered || mixed ? elements * type.bytes() : 0;
    long again = stay ? 0 : weight;
    boolean stepped = window.stride().stream().anyMatch(stride -> stride > 1);
    boolean padded = window.padding().stream().anyMatch(padding -> padding > 0);
    long forward = again;
    long weights = elements * type.bytes();
    long seen = 0;
    if (product.paysForward(what) || product.paysForWeights(what)) {
      // A window of one place sees the input as it is.
      seen = padded ? product.paddedElements(what) : 0;
      seen += places > 1 || stepped ? product.seenElements(what) : 0;
    }
    long atATime =
        window.kernel().size() == 2 ? Math.min(samples, product.samplesAtATime(what)) : 0;
    if (product.paysForward(what)) {
      long result = product.seenElements(what) / (channels * places) * spec.filters();
      forward += atATime * (seen + result) * type.bytes();
    }
    long inWeights = product.paysForWeights(what) ? atATime * seen * type.bytes() : 0;
    long data = again;
    if (product.paysForData(what)) {
      ScalarType exact = type == ScalarType.BFLOAT16 ? ScalarType.FLOAT : type;
      data +=
          atATime
              * (product.seenElements(what) * type.bytes()
                  + product.paddedElements(what) * exact.bytes());
    }
    long gradient = input.elements() * samples * type.bytes();
    weights += product.paysForWeights(what) ? 0 : again;
    long both = weights + Math.max(inWeights - gradient, data);
    return new ConvolutionBytes(weight - again, forward, data, weights + inWeights, both);
  }
}
