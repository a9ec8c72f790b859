package dev.tandem.nn;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Concatenation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;

/** A small graph with a bit of everything. */
final class SmallGraph {

  private SmallGraph() {}

  static NetworkSpec spec() {
    NetworkBuilder network = new NetworkBuilder(Shape.of(3, 8, 8));
    network.add(new Convolution("stem", 8, 3, 1, 1).withoutBias());
    network.add(new BatchNorm("stem.bn"));
    String start = network.add(Activation.silu("stem.silu"));
    network.add(new Convolution("left", 8, 3, 1, 1).withoutBias(), start);
    String left = network.add(new BatchNorm("left.bn"));
    String sum = network.add(new Add("sum"), left, start);
    String middle = network.add(Activation.relu("sum.relu"));
    network.add(new AveragePool("helper.pool", 4, 4), middle);
    network.add(GlobalPool.max("helper.max"));
    network.helper(network.add(new FullyConnected("helper.scores", 5)), 0.3);
    network.add(new Convolution("right", 4, 1, 1, 0), start);
    String right = network.add(new GroupNorm("right.gn", 2));
    network.add(new Concatenation("all"), middle, right, sum);
    network.add(new Convolution("end", 6, 3, 2, 1));
    network.add(Activation.gelu("end.gelu"));
    network.add(GlobalPool.average("mean"));
    network.add(new Dropout("drop", 0.3));
    network.add(new FullyConnected("scores", 5));
    return network.build();
  }
}
