package dev.tandem.oracle.profile;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.LayerCost;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.oracle.profile.KindFit.Work;
import java.util.List;

/**
 * What a layer has to do for a sample, as far as estimates of its time go by it.
 *
 * @param operations of the forward pass
 * @param values of inputs and output
 */
record LayerWork(String kind, long operations, long values, long parameters) {

  static LayerWork of(LayerSpec layer, List<Shape> inputs) {
    long values = layer.output(inputs).elements();
    values += inputs.stream().mapToLong(Shape::elements).sum();
    long parameters =
        layer.parameters(inputs).stream().mapToLong(each -> each.shape().elements()).sum();
    return new LayerWork(layer.kind(), LayerCost.forward(layer, inputs), values, parameters);
  }

  static LayerWork of(Profile.Layer layer) {
    long output = elements(layer.output());
    long values = output + layer.inputs().stream().mapToLong(LayerWork::elements).sum();
    // Of layers with weights, each is multiplied and added at each place of the output.
    long places = layer.output().size() == 1 ? 1 : output / layer.output().getFirst();
    long told =
        layer.operations() > 0
            ? layer.operations()
            : Math.max(output, 2 * layer.parameters() * places);
    return new LayerWork(layer.kind(), told, values, layer.parameters());
  }

  /** By what a layer is known that has no signature. */
  static String shapes(LayerSpec layer, List<Shape> inputs) {
    return shapes(
        layer.kind(),
        inputs.stream().map(Shape::extents).toList(),
        layer.output(inputs).extents(),
        of(layer, inputs).parameters);
  }

  static String shapes(Profile.Layer layer) {
    return shapes(layer.kind(), layer.inputs(), layer.output(), layer.parameters());
  }

  private static String shapes(
      String kind, List<List<Long>> inputs, List<Long> output, long parameters) {
    return "%s %s to %s with %d".formatted(kind, inputs, output, parameters);
  }

  private static long elements(List<Long> shape) {
    return shape.stream().reduce(1L, (a, b) -> a * b);
  }

  /** Of a pass over some samples. */
  Work pass(long samples, DType type) {
    return new Work(
        (double) operations * samples, ((double) values * samples + parameters) * type.bytes());
  }
}
