package dev.tandem.nn.models;

import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.Window;

/** Rows of layers that several networks are made of. */
final class Blocks {

  private Blocks() {}

  /** Convolution and ReLU after the layer added last; the convolution's name is the block's. */
  static void convolutionRelu(NetworkBuilder network, Convolution convolution) {
    network.add(convolution);
    network.add(Activation.relu(convolution.name() + ".relu"));
  }

  /** Convolution without bias, batch normalisation and ReLU after a layer. */
  static String convolutionNormRelu(
      NetworkBuilder network,
      String input,
      String name,
      int filters,
      Window window,
      BatchNorm norm) {
    network.add(new Convolution(name + ".conv", filters, window).withoutBias(), input);
    network.add(new BatchNorm(name + ".bn", norm.momentum(), norm.epsilon()));
    return network.add(Activation.relu(name + ".relu"));
  }
}
