package dev.tandem.nn.models;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;

/** The networks of Simonyan and Zisserman for ImageNet: 3x224x224 in. */
public final class Vgg {

  private static final int[] FILTERS = {64, 128, 256, 512, 512};

  private Vgg() {}

  /** VGG-A, of 11 layers: 132,863,336 parameters for 1000 classes. */
  public static NetworkSpec a(int classes) {
    return spec(classes, 1, 1, 2, 2, 2);
  }

  /** VGG16, also called VGG-D: 138,357,544 parameters for 1000 classes. */
  public static NetworkSpec sixteen(int classes) {
    return spec(classes, 2, 2, 3, 3, 3);
  }

  private static NetworkSpec spec(int classes, int... convolutions) {
    NetworkBuilder network = new NetworkBuilder(Shape.of(3, 224, 224));
    for (int stage = 1; stage <= convolutions.length; stage++) {
      for (int i = 1; i <= convolutions[stage - 1]; i++) {
        String name = "conv%d_%d".formatted(stage, i);
        Blocks.convolutionRelu(network, new Convolution(name, FILTERS[stage - 1], 3, 1, 1));
      }
      network.add(new MaxPool("pool" + stage, 2, 2)); // halves height and width
    }
    network.add(new Flatten("flatten")); // 512 x 7 x 7
    for (String name : new String[] {"fc6", "fc7"}) {
      network.add(new FullyConnected(name, 4096));
      network.add(Activation.relu(name + ".relu"));
      network.add(new Dropout(name + ".dropout", 0.5));
    }
    network.add(new FullyConnected("fc8", classes));
    return network.build();
  }
}
