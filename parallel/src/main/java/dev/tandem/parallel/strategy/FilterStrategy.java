package dev.tandem.parallel.strategy;

import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Mode;
import java.util.List;

/** Each rank has some of the filters of every layer; whole activations come together before it. */
record FilterStrategy() implements AxisStrategy {

  @Override
  public List<Mode> modes(NetworkSpec network, Mesh mesh) {
    return network.nodes().stream()
        .map(node -> AxisStrategy.hasWeights(node.layer()) ? Mode.FILTER : Mode.FOLLOW)
        .toList();
  }
}
