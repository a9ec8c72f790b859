package dev.tandem.nn.models;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.LayerNorm;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Positions;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.nn.spec.TokenMean;
import dev.tandem.nn.spec.Tokens;
import dev.tandem.nn.spec.Window;

/**
 * A small transformer encoder that classifies images: square patches become tokens, blocks of
 * attention and a two-layer network follow, each after a normalisation and beside a shortcut, and
 * the mean of the tokens is scored.
 */
public final class TransformerEncoder {

  private TransformerEncoder() {}

  /** Parameters for 3x32x32, patches of 4, 128 features, 4 heads, 4 blocks, 10 classes: 809,098. */
  public static NetworkSpec small(int classes) {
    return spec(Shape.of(3, 32, 32), 4, 128, 4, 4, classes);
  }

  /** The network for images of this shape. */
  public static NetworkSpec spec(
      Shape image, int patch, int features, int heads, int blocks, int classes) {
    NetworkBuilder network = new NetworkBuilder(image);
    network.add(new Convolution("patches", features, Window.of(patch).withStride(patch)));
    network.add(new Tokens("tokens"));
    network.add(new Positions("positions"));
    for (int block = 0; block < blocks; block++) {
      String name = "block" + block;
      String input = network.last();
      network.add(new LayerNorm(name + ".norm1"));
      network.add(new SelfAttention(name + ".attention", heads));
      String attended = network.add(new Dropout(name + ".dropout1", 0.1));
      String middle = network.add(new Add(name + ".add1"), input, attended);
      network.add(new LayerNorm(name + ".norm2"));
      network.add(new FullyConnected(name + ".fc1", 4 * features));
      network.add(Activation.gelu(name + ".gelu"));
      network.add(new FullyConnected(name + ".fc2", features));
      String thought = network.add(new Dropout(name + ".dropout2", 0.1));
      network.add(new Add(name + ".add2"), middle, thought);
    }
    network.add(new LayerNorm("norm"));
    network.add(new TokenMean("mean"));
    network.add(new FullyConnected("scores", classes));
    return network.build();
  }
}
