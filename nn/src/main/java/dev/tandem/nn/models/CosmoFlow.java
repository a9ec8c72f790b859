package dev.tandem.nn.models;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.LossKind;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Window;

/**
 * CosmoFlow of Mathuriya et al. with seven convolutions, as the ParaDL study ran it: a cube of the
 * universe with 4 channels in, 4 cosmological quantities out. Cubes of 256 give 8,946,116
 * parameters.
 */
public final class CosmoFlow {

  private static final double SLOPE = 0.01;

  private final NetworkBuilder network;

  private CosmoFlow(int extent) {
    network = new NetworkBuilder(Shape.of(4, extent, extent, extent));
  }

  /** The network for cubes of this extent, at least 64. */
  public static NetworkSpec spec(int extent) {
    return spec(extent, 16);
  }

  /**
   * The same with fewer filters, and neurons, in each layer.
   *
   * @param filters of the first convolution; the original has 16
   */
  public static NetworkSpec spec(int extent, int filters) {
    CosmoFlow cosmoFlow = new CosmoFlow(extent);
    cosmoFlow.stage(1, filters, Window.of(3), true);
    cosmoFlow.stage(2, 2 * filters, Window.of(3), true);
    cosmoFlow.stage(3, 4 * filters, Window.of(3).withPadding(1), true);
    cosmoFlow.stage(4, 8 * filters, Window.of(3).withStride(2).withPadding(1), true);
    cosmoFlow.stage(5, 16 * filters, Window.of(2).withPadding(1), true);
    cosmoFlow.stage(6, 16 * filters, Window.of(2).withPadding(1), true);
    cosmoFlow.stage(7, 8 * filters, Window.of(2).withPadding(1), false);
    return cosmoFlow.head(filters);
  }

  private void stage(int number, int filters, Window window, boolean pool) {
    network.add(new Convolution("conv" + number, filters, window).withoutBias());
    network.add(Activation.leakyRelu("lrelu" + number, SLOPE));
    if (pool) {
      network.add(new AveragePool("pool" + number, 2, 2));
    }
  }

  private NetworkSpec head(int filters) {
    network.add(new Flatten("flatten"));
    network.add(new FullyConnected("fc1", 128 * filters));
    network.add(Activation.leakyRelu("lrelu8", SLOPE));
    network.add(new FullyConnected("fc2", 16 * filters));
    network.add(Activation.leakyRelu("lrelu9", SLOPE));
    network.add(new FullyConnected("fc3", 4));
    return network.build(LossKind.MEAN_SQUARED_ERROR);
  }
}
