package dev.tandem.nn.models;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Window;

/** Caffe's network for CIFAR-10 ("full"): 3x32x32 in, 89,578 parameters for 10 classes. */
public final class CaffeCifar {

  private static final Window POOL = Window.of(3).withStride(2);

  private CaffeCifar() {}

  public static NetworkSpec spec(int classes) {
    return NetworkSpec.of(
        Shape.of(3, 32, 32),
        new Convolution("conv1", 32, 5, 1, 2),
        new MaxPool("pool1", POOL, true), // 32 x 16 x 16
        Activation.relu("relu1"),
        norm("norm1"),
        new Convolution("conv2", 32, 5, 1, 2),
        Activation.relu("relu2"),
        new AveragePool("pool2", POOL, true), // 32 x 8 x 8
        norm("norm2"),
        new Convolution("conv3", 64, 5, 1, 2),
        Activation.relu("relu3"),
        new AveragePool("pool3", POOL, true), // 64 x 4 x 4
        new Flatten("flatten"),
        new FullyConnected("ip1", classes));
  }

  private static LocalResponseNorm norm(String name) {
    return new LocalResponseNorm(name, 3, 5e-5, 0.75, 1, LocalResponseNorm.Across.SPACE);
  }
}
