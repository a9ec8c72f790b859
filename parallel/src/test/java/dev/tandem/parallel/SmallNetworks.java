package dev.tandem.parallel;

import dev.tandem.core.Shape;
import dev.tandem.nn.models.TransformerEncoder;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Concatenation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.LossKind;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Window;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Networks with all that makes splitting difficult, small enough for many ways to split them. */
final class SmallNetworks {

  private SmallNetworks() {}

  static Map<String, NetworkSpec> all() {
    Map<String, NetworkSpec> networks = new LinkedHashMap<>();
    networks.put("lenet", lenet());
    networks.put("resnet", resnet());
    networks.put("vgg", vgg());
    networks.put("inception", inception());
    networks.put("cosmoflow", cosmoflow());
    networks.put("transformer", transformer());
    networks.put("responses", responses());
    return networks;
  }

  /** The same with smooth activations, and means in the place of maxima. */
  static NetworkSpec withoutKinks(NetworkSpec network) {
    List<NetworkSpec.Node> nodes = new ArrayList<>();
    for (NetworkSpec.Node node : network.nodes()) {
      LayerSpec smooth =
          switch (node.layer()) {
            case Activation activation -> Activation.gelu(activation.name());
            case MaxPool pool -> new AveragePool(pool.name(), pool.window(), pool.ceil());
            case GlobalPool pool -> GlobalPool.average(pool.name());
            case LayerSpec other -> other;
          };
      nodes.add(new NetworkSpec.Node(smooth, node.inputs()));
    }
    return new NetworkSpec(network.input(), nodes, network.outputs(), network.loss());
  }

  /** Sizes that no number of ranks divides. */
  static NetworkSpec lenet() {
    return NetworkSpec.of(
        Shape.of(1, 17, 14),
        new Convolution("conv1", 5, 5, 1, 0),
        new MaxPool("pool1", 2, 2),
        new Convolution("conv2", 7, 3, 1, 1),
        Activation.relu("relu2"),
        new Flatten("flatten"),
        new FullyConnected("ip1", 11),
        Activation.relu("relu3"),
        new FullyConnected("ip2", 5));
  }

  /** Strides, projections and batch normalisation. */
  static NetworkSpec resnet() {
    NetworkBuilder network = new NetworkBuilder(Shape.of(3, 13, 15));
    network.add(new Convolution("conv1", 8, 3, 1, 1).withoutBias());
    network.add(new BatchNorm("bn1"));
    network.add(Activation.relu("relu1"));
    block(network, "a", 8, 1);
    block(network, "b", 12, 2);
    network.add(GlobalPool.average("pool"));
    network.add(new FullyConnected("fc", 6));
    return network.build();
  }

  private static void block(NetworkBuilder network, String name, int filters, int stride) {
    String input = network.last();
    network.add(new Convolution(name + ".conv1", filters, 3, stride, 1).withoutBias());
    network.add(new BatchNorm(name + ".bn1"));
    network.add(Activation.relu(name + ".relu1"));
    network.add(new Convolution(name + ".conv2", filters, 3, 1, 1).withoutBias());
    String branch = network.add(new BatchNorm(name + ".bn2"));
    String shortcut = input;
    if (stride > 1) {
      network.add(new Convolution(name + ".shortcut", filters, 1, stride, 0).withoutBias(), input);
      shortcut = network.add(new BatchNorm(name + ".shortcut.bn"));
    }
    network.add(new Add(name + ".add"), branch, shortcut);
    network.add(Activation.relu(name + ".relu2"));
  }

  static NetworkSpec vgg() {
    return NetworkSpec.of(
        Shape.of(3, 12, 12),
        new Convolution("conv1", 6, 3, 1, 1),
        Activation.relu("relu1"),
        new Convolution("conv2", 6, 3, 1, 1),
        Activation.relu("relu2"),
        new MaxPool("pool2", Window.of(3).withStride(2).withPadding(1), true),
        new Convolution("conv3", 10, 3, 1, 1),
        Activation.relu("relu3"),
        new MaxPool("pool3", 2, 2),
        new Flatten("flatten"),
        new FullyConnected("fc1", 14),
        Activation.relu("relu4"),
        new Dropout("drop", 0.3),
        new FullyConnected("fc2", 9),
        Activation.relu("relu5"),
        new FullyConnected("fc3", 4));
  }

  /** Branches that are joined, dilation, helper output. */
  static NetworkSpec inception() {
    NetworkBuilder network = new NetworkBuilder(Shape.of(4, 11, 10));
    String start = network.add(new Convolution("start", 7, 3, 1, 1));
    String one = network.add(new Convolution("one", 5, 1, 1, 0), start);
    network.add(new Convolution("three.in", 4, 1, 1, 0), start);
    network.add(Activation.relu("three.relu"));
    String three = network.add(new Convolution("three", 6, 3, 1, 1));
    String wide =
        network.add(new Convolution("wide", 4, Window.of(3).withPadding(2).withDilation(2)), start);
    network.add(new AveragePool("pool", Window.of(3).withPadding(1), false), start);
    String pooled = network.add(new Convolution("pooled", 3, 1, 1, 0));
    network.add(new Concatenation("joined"), one, three, wide, pooled);
    String joined = network.add(Activation.relu("joined.relu"));
    network.add(new Flatten("helper.flatten"));
    String helper = network.add(new FullyConnected("helper", 5));
    network.helper(helper, 0.3);
    network.add(new AveragePool("pool2", Window.of(3).withStride(2), true), joined);
    network.add(GlobalPool.max("max"));
    network.add(new FullyConnected("fc", 5));
    return network.build();
  }

  /** A volume and regression. */
  static NetworkSpec cosmoflow() {
    NetworkBuilder network = new NetworkBuilder(Shape.of(2, 9, 8, 7));
    network.add(new Convolution("conv1", 4, Window.of(3).withPadding(1)).withoutBias());
    network.add(Activation.leakyRelu("lrelu1", 0.3));
    network.add(new AveragePool("pool1", 2, 2));
    network.add(new Convolution("conv2", 6, Window.of(2).withPadding(1)).withoutBias());
    network.add(Activation.leakyRelu("lrelu2", 0.3));
    network.add(new Flatten("flatten"));
    network.add(new FullyConnected("fc1", 8));
    network.add(Activation.leakyRelu("lrelu3", 0.3));
    network.add(new FullyConnected("fc2", 4));
    return network.build(LossKind.MEAN_SQUARED_ERROR);
  }

  static NetworkSpec transformer() {
    return TransformerEncoder.spec(Shape.of(3, 8, 12), 2, 12, 4, 2, 5);
  }

  /** Neighbours in channels and in space, groups. */
  static NetworkSpec responses() {
    return NetworkSpec.of(
        Shape.of(4, 10, 9),
        new Convolution("conv1", 8, 3, 1, 1),
        new LocalResponseNorm("across", 3, 0.5, 0.75, 1, LocalResponseNorm.Across.CHANNELS),
        new Convolution("groups", 12, Window.of(3).withPadding(1), 4, true),
        new LocalResponseNorm("space", 3, 0.5, 0.75, 1, LocalResponseNorm.Across.SPACE),
        new GroupNorm("norm", 3),
        Activation.gelu("gelu"),
        new AveragePool("pool", Window.of(3).withStride(2), true),
        new Convolution("pair", 8, Window.of(2), 2, false),
        Activation.relu("relu"),
        GlobalPool.average("average"),
        new FullyConnected("fc", 5));
  }
}
