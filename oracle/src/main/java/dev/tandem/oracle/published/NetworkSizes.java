package dev.tandem.oracle.published;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.LayerCost;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.oracle.cluster.Device;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The numbers of a network that iteration times depend on. Bytes are those of float32 values;
 * activations are of one sample.
 *
 * @param layers that compute
 * @param splitInputs bytes into each convolution after the first: those that filter and channel
 *     parallelism split
 * @param splitOutputs bytes out of them
 * @param convolutionShare share of the time of a sample that these convolutions take
 * @param outputs bytes out of each layer
 * @param weights bytes of all parameters
 * @param denseWeights bytes of the parameters of each fully connected layer
 * @param haloRow bytes that all convolutions together need from a neighbour in height
 * @param haloLayers convolutions that need any
 * @param gathered bytes of the activations behind which space is not split
 * @param serialSeconds forward and backward pass and update of a sample on one device
 * @param volumes whether samples have a depth
 */
record NetworkSizes(
    int layers,
    List<Double> splitInputs,
    List<Double> splitOutputs,
    double convolutionShare,
    List<Double> outputs,
    double weights,
    List<Double> denseWeights,
    double haloRow,
    int haloLayers,
    double gathered,
    double serialSeconds,
    boolean volumes) {

  private static final int BYTES = Float.BYTES;

  /** Forward, and twice as much backward. */
  private static final int PASSES = 3;

  /**
   * The sizes of a network.
   *
   * @param serialSeconds 0 if they are not known
   */
  static NetworkSizes of(NetworkSpec network, Device device, double serialSeconds) {
    List<LayerCost> costs = LayerCost.of(network, Set.of());
    List<List<Shape>> inputs = network.layerInputs();
    int[] convolutions =
        IntStream.range(0, costs.size())
            .filter(i -> network.nodes().get(i).layer() instanceof Convolution)
            .toArray();
    List<Double> splitInputs = new ArrayList<>();
    List<Double> splitOutputs = new ArrayList<>();
    double all = 0;
    double split = 0;
    double halo = 0;
    int halos = 0;
    for (int i = 0; i < costs.size(); i++) {
      all += seconds(costs.get(i), inputs.get(i), device);
    }
    for (int i : convolutions) {
      Shape input = inputs.get(i).getFirst();
      double row = haloRow((Convolution) network.nodes().get(i).layer(), input);
      halo += row;
      halos += row > 0 ? 1 : 0;
      if (i != convolutions[0]) {
        splitInputs.add(bytes(input));
        splitOutputs.add(bytes(costs.get(i).output()));
        split += seconds(costs.get(i), inputs.get(i), device);
      }
    }
    return new NetworkSizes(
        (int) costs.stream().filter(cost -> cost.activations() > 0).count(),
        splitInputs,
        splitOutputs,
        split / all,
        costs.stream().filter(c -> c.activations() > 0).map(c -> bytes(c.output())).toList(),
        BYTES * (double) network.parameterCount(),
        IntStream.range(0, costs.size())
            .filter(i -> network.nodes().get(i).layer() instanceof FullyConnected)
            .mapToObj(i -> BYTES * (double) costs.get(i).parameters())
            .toList(),
        halo,
        halos,
        gathered(network, inputs),
        serialSeconds > 0 ? serialSeconds : all,
        network.input().extents().size() > 3);
  }

  /** The sum of such a list. */
  static double sum(List<Double> bytes) {
    return bytes.stream().mapToDouble(Double::doubleValue).sum();
  }

  /** The same network with another serial time. */
  NetworkSizes withSerialSeconds(double seconds) {
    return new NetworkSizes(
        layers,
        splitInputs,
        splitOutputs,
        convolutionShare,
        outputs,
        weights,
        denseWeights,
        haloRow,
        haloLayers,
        gathered,
        seconds,
        volumes);
  }

  /** The roofline of a layer for one sample: its operations, or its traffic with memory. */
  private static double seconds(LayerCost cost, List<Shape> inputs, Device device) {
    if (cost.activations() == 0) {
      return 0;
    }
    double traffic = bytes(cost.output());
    for (Shape input : inputs) {
      traffic += bytes(input);
    }
    return PASSES * Math.max(cost.forward() / device.flops(), traffic / device.memoryBandwidth());
  }

  /** Rows at one side of a part in height, over all channels. */
  private static double haloRow(Convolution layer, Shape input) {
    int dimensions = input.extents().size() - 1;
    int kernel = layer.window().over(dimensions).kernel().getFirst();
    return Math.floorDiv(kernel, 2) * bytes(input) / input.extents().get(1);
  }

  /** Images are split up to the first fully connected layer, volumes up to the second pooling. */
  private static double gathered(NetworkSpec network, List<List<Shape>> inputs) {
    boolean volumes = network.input().extents().size() > 3;
    int pools = 0;
    for (int i = 0; i < inputs.size(); i++) {
      LayerSpec layer = network.nodes().get(i).layer();
      pools += layer instanceof AveragePool ? 1 : 0;
      if (volumes && pools == 2) {
        return bytes(layer.output(inputs.get(i)));
      }
      if (layer instanceof Flatten || layer instanceof FullyConnected) {
        return bytes(inputs.get(i).getFirst());
      }
    }
    return 0;
  }

  private static double bytes(Shape shape) {
    return BYTES * (double) shape.elements();
  }
}
