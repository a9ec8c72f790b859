package dev.tandem.nn.models;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Window;

/**
 * The residual networks of He et al. for ImageNet, 3x224x224 in, with the stride of a bottleneck in
 * its 3x3 convolution, as torchvision has them. Parameters for 1000 classes: 18 layers 11,689,512;
 * 34: 21,797,672; 50: 25,557,032; 101: 44,549,160; 152: 60,192,808.
 */
public final class ResNet {

  private static final int EXPANSION = 4;

  private final NetworkBuilder network;
  private final boolean bottlenecks;

  private ResNet(Shape input, boolean bottlenecks) {
    network = new NetworkBuilder(input);
    this.bottlenecks = bottlenecks;
  }

  /** The network with this many layers: 18, 34, 50, 101 or 152. */
  public static NetworkSpec spec(int layers, int classes) {
    ResNet resNet = new ResNet(Shape.of(3, 224, 224), layers >= 50);
    resNet.convolutionNorm("conv1", NetworkSpec.INPUT, 64, 7, 2);
    resNet.network.add(Activation.relu("relu1"));
    Window window = Window.of(3).withStride(2).withPadding(1);
    resNet.network.add(new MaxPool("pool1", window, false)); // 64 x 56 x 56
    return resNet.stages(blocks(layers), classes);
  }

  /**
   * The same for images of 32x32: the first convolution is 3x3 and nothing is pooled before the
   * blocks.
   */
  public static NetworkSpec small(int layers, int classes) {
    ResNet resNet = new ResNet(Shape.of(3, 32, 32), layers >= 50);
    resNet.convolutionNorm("conv1", NetworkSpec.INPUT, 64, 3, 1);
    resNet.network.add(Activation.relu("relu1"));
    return resNet.stages(blocks(layers), classes);
  }

  private static int[] blocks(int layers) {
    return switch (layers) {
      case 18 -> new int[] {2, 2, 2, 2};
      case 34, 50 -> new int[] {3, 4, 6, 3};
      case 101 -> new int[] {3, 4, 23, 3};
      case 152 -> new int[] {3, 8, 36, 3};
      default ->
          throw new UsageException(
              "ResNet: unknown number of layers; expected 18, 34, 50, 101 or 152, not " + layers);
    };
  }

  private NetworkSpec stages(int[] blocks, int classes) {
    for (int stage = 0; stage < blocks.length; stage++) {
      for (int block = 0; block < blocks[stage]; block++) {
        int stride = stage > 0 && block == 0 ? 2 : 1;
        block("layer%d.%d".formatted(stage + 1, block), 64 << stage, stride);
      }
    }
    network.add(GlobalPool.average("pool5"));
    network.add(new FullyConnected("fc", classes));
    return network.build();
  }

  private void block(String name, int filters, int stride) {
    String input = network.last();
    int outputs = bottlenecks ? EXPANSION * filters : filters;
    boolean same = stride == 1 && network.channels(input) == outputs;
    String shortcut = same ? input : convolutionNorm(name + ".shortcut", input, outputs, 1, stride);
    String end;
    if (bottlenecks) {
      convolutionNorm(name + ".1", input, filters, 1, 1);
      network.add(Activation.relu(name + ".1.relu"));
      convolutionNorm(name + ".2", network.last(), filters, 3, stride);
      network.add(Activation.relu(name + ".2.relu"));
      end = convolutionNorm(name + ".3", network.last(), outputs, 1, 1);
    } else {
      convolutionNorm(name + ".1", input, filters, 3, stride);
      network.add(Activation.relu(name + ".1.relu"));
      end = convolutionNorm(name + ".2", network.last(), outputs, 3, 1);
    }
    network.add(new Add(name + ".add"), end, shortcut);
    network.add(Activation.relu(name + ".relu"));
  }

  private String convolutionNorm(String name, String input, int filters, int kernel, int stride) {
    network.add(
        new Convolution(name + ".conv", filters, kernel, stride, kernel / 2).withoutBias(), input);
    return network.add(new BatchNorm(name + ".bn"));
  }
}
