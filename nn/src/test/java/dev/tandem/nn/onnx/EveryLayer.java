package dev.tandem.nn.onnx;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Concatenation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerNorm;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Positions;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.nn.spec.TokenMean;
import dev.tandem.nn.spec.Tokens;
import dev.tandem.nn.spec.Window;

/** Networks with every kind of layer, for files that must hold them all. */
public final class EveryLayer {

  private EveryLayer() {}

  /** Images, sequences and rows; also a helper, which is not for answers. */
  public static NetworkSpec spec() {
    NetworkBuilder network = new NetworkBuilder(Shape.of(4, 9, 9));
    Window window = Window.of(3, 1).withPadding(1, 0).withDilation(1, 2);
    network.add(new Convolution("conv", 8, window, 2, false));
    network.add(new BatchNorm("norm", 0.2, 1e-4));
    String leaky = network.add(Activation.leakyRelu("leaky", 0.1));
    network.add(new GroupNorm("groups", 4));
    String silu = network.add(Activation.silu("silu"));
    network.add(new Add("sum"), leaky, silu);
    network.add(new Add("three"), "sum", leaky, silu);
    network.add(new LocalResponseNorm("space", 3, 0.1, 0.75, 1, LocalResponseNorm.Across.SPACE));
    network.add(new LocalResponseNorm("channels", 5, 0.1, 0.75));
    Window pool = Window.of(3).withStride(2).withPadding(1);
    String largest = network.add(new MaxPool("largest", Window.of(3).withStride(2), true), "space");
    String mean =
        network.add(new AveragePool("mean", Window.of(3).withStride(2), true), "channels");
    String padded = network.add(new AveragePool("padded", pool, false), "space");
    network.add(new MaxPool("trimmed", Window.of(2), false), padded);
    network.add(new AveragePool("padded-partly", pool, true));
    String joined = network.add(new Concatenation("joined"), largest, mean);
    network.add(new Tokens("tokens"), joined);
    network.add(new Positions("positions"));
    network.add(new LayerNorm("features"));
    network.add(new SelfAttention("attention", 4));
    network.add(new SelfAttention("own-width", 3, 2, false));
    network.add(new FullyConnected("each", 6));
    network.add(Activation.gelu("gelu"));
    network.add(new FullyConnected("wide", 5, false));
    String sequence = network.add(new TokenMean("token-mean"));
    network.add(GlobalPool.max("global-max"), joined);
    network.add(new Dropout("drop", 0.3));
    String rows = network.add(new FullyConnected("rows", 5));
    network.add(GlobalPool.average("global-mean"), "padded-partly");
    network.add(new LayerNorm("row-norm"));
    network.add(new BatchNorm("row-batch-norm"));
    String other = network.add(new FullyConnected("other", 5, false));
    network.add(new Flatten("flatten"), joined);
    String helper = network.add(new FullyConnected("helper", 5));
    network.helper(helper, 0.3);
    network.add(new Add("all"), sequence, rows, other);
    network.add(Activation.tanh("tanh"));
    network.add(Activation.sigmoid("sigmoid"));
    network.add(Activation.relu("relu"));
    network.add(new FullyConnected("scores", 5));
    return network.build();
  }

  /** Volumes. */
  public static NetworkSpec volumes() {
    NetworkBuilder network = new NetworkBuilder(Shape.of(2, 6, 7, 8));
    network.add(new Convolution("conv", 4, 3, 1, 1));
    network.add(new BatchNorm("norm"));
    network.add(new GroupNorm("groups", 2));
    network.add(new LocalResponseNorm("space", 3, 0.1, 0.75, 1, LocalResponseNorm.Across.SPACE));
    network.add(new MaxPool("largest", 2, 2));
    String pooled = network.add(new AveragePool("mean", 2, 1));
    String mean = network.add(GlobalPool.average("global-mean"));
    String max = network.add(GlobalPool.max("global-max"), pooled);
    network.add(new Concatenation("joined"), mean, max);
    network.add(new FullyConnected("scores", 3));
    return network.build();
  }
}
