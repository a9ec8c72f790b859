package dev.tandem.nn.models;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Concatenation;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Window;

/**
 * The first Inception network, of Szegedy et al., with batch normalisation and 3x3 convolutions for
 * 5x5 as torchvision has it: 3x224x224 in; parameters for 1000 classes 6,624,904, and with the two
 * helper outputs 13,004,888.
 */
public final class GoogLeNet {

  private static final BatchNorm NORM = new BatchNorm("norm", 0.1, 1e-3);
  private static final Window ONE = Window.of(1);
  private static final Window THREE = Window.of(3).withPadding(1);
  private static final double HELPER_WEIGHT = 0.3;

  private final NetworkBuilder network = new NetworkBuilder(Shape.of(3, 224, 224));
  private final int classes;

  private GoogLeNet(int classes) {
    this.classes = classes;
  }

  /**
   * The network.
   *
   * @param helpers whether two outputs in the middle help in training
   */
  public static NetworkSpec spec(int classes, boolean helpers) {
    return new GoogLeNet(classes).build(helpers);
  }

  private NetworkSpec build(boolean helpers) {
    block("conv1", NetworkSpec.INPUT, 64, Window.of(7).withStride(2).withPadding(3));
    pool("pool1", 3); // 64 x 56 x 56
    block("conv2", network.last(), 64, ONE);
    block("conv3", network.last(), 192, THREE);
    pool("pool3", 3); // 192 x 28 x 28
    inception("3a", 64, 96, 128, 16, 32, 32);
    inception("3b", 128, 128, 192, 32, 96, 64);
    pool("pool4", 3); // 480 x 14 x 14
    String first = inception("4a", 192, 96, 208, 16, 48, 64);
    inception("4b", 160, 112, 224, 24, 64, 64);
    inception("4c", 128, 128, 256, 24, 64, 64);
    String second = inception("4d", 112, 144, 288, 32, 64, 64);
    inception("4e", 256, 160, 320, 32, 128, 128);
    pool("pool5", 2); // 832 x 7 x 7
    inception("5a", 256, 160, 320, 32, 128, 128);
    String last = inception("5b", 384, 192, 384, 48, 128, 128); // 1024 x 7 x 7
    if (helpers) {
      helper("helper1", first);
      helper("helper2", second);
    }
    network.add(GlobalPool.average("pool6"), last);
    network.add(new Dropout("dropout", 0.2));
    network.add(new FullyConnected("fc", classes));
    return network.build();
  }

  private String inception(
      String name, int one, int reduceThree, int three, int reduceFive, int five, int pooled) {
    String input = network.last();
    String first = block(name + ".1", input, one, ONE);
    block(name + ".2a", input, reduceThree, ONE);
    String second = block(name + ".2b", network.last(), three, THREE);
    block(name + ".3a", input, reduceFive, ONE);
    String third = block(name + ".3b", network.last(), five, THREE);
    network.add(new MaxPool(name + ".pool", THREE, true), input);
    String fourth = block(name + ".4", network.last(), pooled, ONE);
    return network.add(new Concatenation(name), first, second, third, fourth);
  }

  private void helper(String name, String input) {
    network.add(new AveragePool(name + ".pool", Window.of(5).withStride(3), false), input); // 4x4
    block(name + ".conv", network.last(), 128, ONE);
    network.add(new Flatten(name + ".flatten"));
    network.add(new FullyConnected(name + ".fc1", 1024));
    network.add(Activation.relu(name + ".relu"));
    network.add(new Dropout(name + ".dropout", 0.7));
    network.helper(network.add(new FullyConnected(name + ".fc2", classes)), HELPER_WEIGHT);
  }

  private void pool(String name, int kernel) {
    network.add(new MaxPool(name, Window.of(kernel).withStride(2), true));
  }

  private String block(String name, String input, int filters, Window window) {
    return Blocks.convolutionNormRelu(network, input, name, filters, window, NORM);
  }
}
