package dev.tandem.bench.oracle;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Window;
import java.util.ArrayList;
import java.util.List;

/**
 * VGG for images of 32 x 32: pairs of convolutions, poolings, and two large fully connected layers,
 * which have most of the weights.
 */
final class SmallVgg {

  private SmallVgg() {}

  static NetworkSpec spec() {
    List<LayerSpec> layers = new ArrayList<>();
    int[] filters = {32, 64, 128};
    for (int block = 1; block <= filters.length; block++) {
      for (int i = 1; i <= 2; i++) {
        String name = "conv%d_%d".formatted(block, i);
        layers.add(new Convolution(name, filters[block - 1], 3, 1, 1));
        layers.add(Activation.relu("relu%d_%d".formatted(block, i)));
      }
      layers.add(new MaxPool("pool" + block, Window.of(2).withStride(2), false));
    }
    layers.add(new Flatten("flatten"));
    layers.add(new FullyConnected("fc1", 1024));
    layers.add(Activation.relu("relu_fc1"));
    layers.add(new FullyConnected("fc2", 10));
    return NetworkSpec.of(Shape.of(3, 32, 32), layers.toArray(LayerSpec[]::new));
  }
}
