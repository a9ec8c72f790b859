package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Puts a network together, layer by layer. Each call gives the name of the layer that it added, for
 * use as the input of others:
 *
 * <pre>{@code
 * NetworkBuilder network = new NetworkBuilder(Shape.of(64, 8, 8));
 * String first = network.add(new Convolution("first", 64, 3, 1, 1));
 * network.add(Activation.relu("relu"));                 // behind the layer added last
 * String second = network.add(new Convolution("second", 64, 3, 1, 1));
 * network.add(new Add("sum"), first, second);           // behind these two
 * }</pre>
 */
public final class NetworkBuilder {

  private final Shape input;
  private final List<NetworkSpec.Node> nodes = new ArrayList<>();
  private final List<NetworkSpec.Output> helpers = new ArrayList<>();
  private String last = NetworkSpec.INPUT;

  public NetworkBuilder(Shape input) {
    this.input = input;
  }

  /** Adds a layer behind the one added last, or behind the input. */
  public String add(LayerSpec layer) {
    return add(layer, last);
  }

  /** Adds a layer behind these. */
  public String add(LayerSpec layer, String... inputs) {
    nodes.add(new NetworkSpec.Node(layer, List.of(inputs)));
    last = layer.name();
    return last;
  }

  /** The name of the layer added last; {@code input} before the first. */
  public String last() {
    return last;
  }

  /** Makes a layer a second output, whose loss counts with this weight in training alone. */
  public void helper(String layer, double weight) {
    helpers.add(new NetworkSpec.Output(layer, weight));
  }

  /** The network that tells classes apart by the scores of the layer added last. */
  public NetworkSpec build() {
    return build(LossKind.SOFTMAX_CROSS_ENTROPY);
  }

  /**
   * The network whose answer is the layer added last.
   *
   * @throws UsageException if something does not fit
   */
  public NetworkSpec build(LossKind loss) {
    List<NetworkSpec.Output> outputs = new ArrayList<>();
    outputs.add(new NetworkSpec.Output(last, 1));
    outputs.addAll(helpers);
    if (nodes.isEmpty()) {
      throw new UsageException("a network has at least one layer");
    }
    return new NetworkSpec(input, nodes, outputs, loss);
  }

  /** The channels behind a layer, for blocks that depend on them. */
  public long channels(String layer) {
    Map<String, Shape> shapes = NetworkSpec.shapes(input, nodes);
    Shape shape = shapes.get(layer);
    if (shape == null) {
      throw new IllegalArgumentException("no layer is named " + layer);
    }
    return shape.extents().getFirst();
  }
}
