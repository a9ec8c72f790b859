package dev.tandem.nn.models;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Window;

/** The networks of Krizhevsky et al. for ImageNet. */
public final class AlexNet {

  private AlexNet() {}

  /** The network of 2012, whose convolutions have groups: 3x227x227 in, 60,965,224 parameters. */
  public static NetworkSpec spec(int classes) {
    return grouped(classes, true);
  }

  /** CaffeNet: the same with pooling before normalisation, which is less work. */
  public static NetworkSpec caffeNet(int classes) {
    return grouped(classes, false);
  }

  private static NetworkSpec grouped(int classes, boolean normFirst) {
    NetworkBuilder network = new NetworkBuilder(Shape.of(3, 227, 227));
    Blocks.convolutionRelu(network, new Convolution("conv1", 96, 11, 4, 0)); // 96 x 55 x 55
    normAndPool(network, 1, normFirst); // 96 x 27 x 27
    Blocks.convolutionRelu(network, convolution("conv2", 256, 5, 2, 2));
    normAndPool(network, 2, normFirst); // 256 x 13 x 13
    Blocks.convolutionRelu(network, convolution("conv3", 384, 3, 1, 1));
    Blocks.convolutionRelu(network, convolution("conv4", 384, 3, 1, 2));
    Blocks.convolutionRelu(network, convolution("conv5", 256, 3, 1, 2));
    network.add(new MaxPool("pool5", 3, 2)); // 256 x 6 x 6
    network.add(new Flatten("flatten"));
    for (String name : new String[] {"fc6", "fc7"}) {
      network.add(new FullyConnected(name, 4096));
      network.add(Activation.relu(name + ".relu"));
      network.add(new Dropout(name + ".dropout", 0.5));
    }
    network.add(new FullyConnected("fc8", classes));
    return network.build();
  }

  /** The network of 2014 in one tower, as torchvision has it: 3x224x224, 61,100,840 parameters. */
  public static NetworkSpec oneTower(int classes) {
    NetworkBuilder network = new NetworkBuilder(Shape.of(3, 224, 224));
    Blocks.convolutionRelu(network, new Convolution("conv1", 64, 11, 4, 2));
    network.add(new MaxPool("pool1", 3, 2)); // 64 x 27 x 27
    Blocks.convolutionRelu(network, new Convolution("conv2", 192, 5, 1, 2));
    network.add(new MaxPool("pool2", 3, 2)); // 192 x 13 x 13
    Blocks.convolutionRelu(network, new Convolution("conv3", 384, 3, 1, 1));
    Blocks.convolutionRelu(network, new Convolution("conv4", 256, 3, 1, 1));
    Blocks.convolutionRelu(network, new Convolution("conv5", 256, 3, 1, 1));
    network.add(new MaxPool("pool5", 3, 2)); // 256 x 6 x 6
    network.add(new Flatten("flatten"));
    for (String name : new String[] {"fc6", "fc7"}) {
      network.add(new Dropout(name + ".dropout", 0.5));
      network.add(new FullyConnected(name, 4096));
      network.add(Activation.relu(name + ".relu"));
    }
    network.add(new FullyConnected("fc8", classes));
    return network.build();
  }

  private static void normAndPool(NetworkBuilder network, int number, boolean normFirst) {
    LocalResponseNorm norm = new LocalResponseNorm("norm" + number, 5, 1e-4, 0.75);
    MaxPool pool = new MaxPool("pool" + number, 3, 2);
    network.add(normFirst ? norm : pool);
    network.add(normFirst ? pool : norm);
  }

  private static Convolution convolution(
      String name, int filters, int kernel, int padding, int groups) {
    return new Convolution(name, filters, Window.of(kernel).withPadding(padding), groups, true);
  }
}
