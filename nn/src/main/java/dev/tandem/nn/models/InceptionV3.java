package dev.tandem.nn.models;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Concatenation;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Window;

/**
 * Inception-v3 of Szegedy et al. as torchvision has it: 3x299x299 in; parameters for 1000 classes
 * 23,834,568, and with the helper output 27,161,264.
 */
public final class InceptionV3 {

  private static final BatchNorm NORM = new BatchNorm("norm", 0.1, 1e-3);
  private static final Window ONE = Window.of(1);
  private static final Window THREE = Window.of(3).withPadding(1);
  private static final Window HALVING = Window.of(3).withStride(2);
  private static final double HELPER_WEIGHT = 0.4;

  private final NetworkBuilder network = new NetworkBuilder(Shape.of(3, 299, 299));

  private InceptionV3() {}

  /**
   * The network.
   *
   * @param helper whether an output in the middle helps in training
   */
  public static NetworkSpec spec(int classes, boolean helper) {
    return new InceptionV3().build(classes, helper);
  }

  private NetworkSpec build(int classes, boolean helper) {
    block("conv1", NetworkSpec.INPUT, 32, HALVING);
    block("conv2", network.last(), 32, Window.of(3));
    block("conv3", network.last(), 64, THREE);
    network.add(new MaxPool("pool3", 3, 2)); // 64 x 73 x 73
    block("conv4", network.last(), 80, ONE);
    block("conv5", network.last(), 192, Window.of(3));
    network.add(new MaxPool("pool5", 3, 2)); // 192 x 35 x 35
    wide("5b", 32);
    wide("5c", 64);
    wide("5d", 64);
    halveWide("6a"); // 768 x 17 x 17
    crossed("6b", 128);
    crossed("6c", 160);
    crossed("6d", 160);
    String middle = crossed("6e", 192);
    if (helper) {
      helper(middle, classes);
    }
    halveCrossed("7a", middle); // 1280 x 8 x 8
    forked("7b");
    forked("7c"); // 2048 x 8 x 8
    network.add(GlobalPool.average("pool8"));
    network.add(new Dropout("dropout", 0.5));
    network.add(new FullyConnected("fc", classes));
    return network.build();
  }

  private void wide(String name, int pooled) {
    String input = network.last();
    String first = block(name + ".1", input, 64, ONE);
    block(name + ".2a", input, 48, ONE);
    String second = block(name + ".2b", network.last(), 64, Window.of(5).withPadding(2));
    block(name + ".3a", input, 64, ONE);
    block(name + ".3b", network.last(), 96, THREE);
    String third = block(name + ".3c", network.last(), 96, THREE);
    network.add(new Concatenation(name), first, second, third, pooled(name, input, pooled));
  }

  private void halveWide(String name) {
    String input = network.last();
    String first = block(name + ".1", input, 384, HALVING);
    block(name + ".2a", input, 64, ONE);
    block(name + ".2b", network.last(), 96, THREE);
    String second = block(name + ".2c", network.last(), 96, HALVING);
    String third = network.add(new MaxPool(name + ".pool", 3, 2), input);
    network.add(new Concatenation(name), first, second, third);
  }

  private String crossed(String name, int filters) {
    String input = network.last();
    String first = block(name + ".1", input, 192, ONE);
    block(name + ".2a", input, filters, ONE);
    block(name + ".2b", network.last(), filters, row(7));
    String second = block(name + ".2c", network.last(), 192, column(7));
    block(name + ".3a", input, filters, ONE);
    block(name + ".3b", network.last(), filters, column(7));
    block(name + ".3c", network.last(), filters, row(7));
    block(name + ".3d", network.last(), filters, column(7));
    String third = block(name + ".3e", network.last(), 192, row(7));
    return network.add(new Concatenation(name), first, second, third, pooled(name, input, 192));
  }

  private void halveCrossed(String name, String input) {
    block(name + ".1a", input, 192, ONE);
    String first = block(name + ".1b", network.last(), 320, HALVING);
    block(name + ".2a", input, 192, ONE);
    block(name + ".2b", network.last(), 192, row(7));
    block(name + ".2c", network.last(), 192, column(7));
    String second = block(name + ".2d", network.last(), 192, HALVING);
    String third = network.add(new MaxPool(name + ".pool", 3, 2), input);
    network.add(new Concatenation(name), first, second, third);
  }

  private void forked(String name) {
    String input = network.last();
    String first = block(name + ".1", input, 320, ONE);
    String second = block(name + ".2a", input, 384, ONE);
    String secondRow = block(name + ".2b", second, 384, row(3));
    String secondColumn = block(name + ".2c", second, 384, column(3));
    block(name + ".3a", input, 448, ONE);
    String third = block(name + ".3b", network.last(), 384, THREE);
    String thirdRow = block(name + ".3c", third, 384, row(3));
    String thirdColumn = block(name + ".3d", third, 384, column(3));
    network.add(
        new Concatenation(name),
        first,
        secondRow,
        secondColumn,
        thirdRow,
        thirdColumn,
        pooled(name, input, 192));
  }

  private void helper(String input, int classes) {
    network.add(new AveragePool("helper.pool", 5, 3), input); // 768 x 5 x 5
    block("helper.1", network.last(), 128, ONE);
    block("helper.2", network.last(), 768, Window.of(5)); // 768 x 1 x 1
    network.add(GlobalPool.average("helper.mean"));
    network.helper(network.add(new FullyConnected("helper.fc", classes)), HELPER_WEIGHT);
  }

  private String pooled(String name, String input, int filters) {
    network.add(new AveragePool(name + ".pool", THREE, false), input);
    return block(name + ".pooled", network.last(), filters, ONE);
  }

  private String block(String name, String input, int filters, Window window) {
    return Blocks.convolutionNormRelu(network, input, name, filters, window, NORM);
  }

  private static Window row(int length) {
    return Window.of(1, length).withPadding(0, length / 2);
  }

  private static Window column(int length) {
    return Window.of(length, 1).withPadding(length / 2, 0);
  }
}
