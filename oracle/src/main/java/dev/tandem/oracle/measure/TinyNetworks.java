package dev.tandem.oracle.measure;

import dev.tandem.core.Shape;
import dev.tandem.nn.models.TransformerEncoder;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Window;

/** Networks with many layers that compute next to nothing: what they take is what calls take. */
final class TinyNetworks {

  private static final int BLOCKS = 4;
  private static final int FILTERS = 4;
  private static final int CLASSES = 4;

  private TinyNetworks() {}

  /** Of images of 8 x 8, with residual blocks. */
  static NetworkSpec images() {
    NetworkBuilder network = new NetworkBuilder(Shape.of(3, 8, 8));
    String before = network.add(new Convolution("conv", FILTERS, 3, 1, 1));
    for (int block = 0; block < BLOCKS; block++) {
      network.add(new Convolution("conv" + block, FILTERS, 3, 1, 1), before);
      network.add(new BatchNorm("norm" + block));
      String relu = network.add(Activation.relu("relu" + block));
      before = network.add(new Add("add" + block), relu, before);
    }
    network.add(new MaxPool("pool", Window.of(2).withStride(2), false));
    network.add(new Flatten("flatten"));
    network.add(new FullyConnected("hidden", 8));
    network.add(Activation.relu("relu"));
    network.add(new FullyConnected("scores", CLASSES));
    return network.build();
  }

  /** Of tokens. */
  static NetworkSpec tokens() {
    return TransformerEncoder.spec(Shape.of(3, 8, 8), 4, 8, 2, 2, CLASSES);
  }
}
