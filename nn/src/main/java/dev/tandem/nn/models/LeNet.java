package dev.tandem.nn.models;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkSpec;

/** LeNet as Caffe trains it on MNIST: 1x28x28 in, 431,080 parameters for 10 classes. */
public final class LeNet {

  private LeNet() {}

  public static NetworkSpec spec(int classes) {
    return NetworkSpec.of(
        Shape.of(1, 28, 28),
        new Convolution("conv1", 20, 5, 1, 0),
        new MaxPool("pool1", 2, 2), // 20 x 12 x 12
        new Convolution("conv2", 50, 5, 1, 0),
        new MaxPool("pool2", 2, 2), // 50 x 4 x 4
        new Flatten("flatten"),
        new FullyConnected("ip1", 500),
        Activation.relu("relu1"),
        new FullyConnected("ip2", classes));
  }
}
