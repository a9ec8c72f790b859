package dev.tandem.nn.models;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import java.util.List;

/** Fully connected layers with ReLU in between, for rows of tables. */
public final class Perceptron {

  private Perceptron() {}

  /**
   * The network for rows of this many numbers.
   *
   * @param hidden outputs of each layer before the last; may be empty
   */
  public static NetworkSpec spec(int inputs, List<Integer> hidden, int outputs) {
    NetworkBuilder network = new NetworkBuilder(Shape.of(inputs));
    for (int i = 0; i < hidden.size(); i++) {
      network.add(new FullyConnected("fc" + (i + 1), hidden.get(i)));
      network.add(Activation.relu("relu" + (i + 1)));
    }
    network.add(new FullyConnected("out", outputs));
    return network.build();
  }
}
