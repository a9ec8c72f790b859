package dev.tandem.parallel.strategy;

import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Mode;
import java.util.List;

/** Filters of one layer, channels of the next, so that nothing travels between the two. */
record AlternatingStrategy() implements AxisStrategy {

  @Override
  public List<Mode> modes(NetworkSpec network, Mesh mesh) {
    return network.nodes().stream()
        .map(node -> AxisStrategy.hasWeights(node.layer()) ? Mode.ALTERNATE : Mode.FOLLOW)
        .toList();
  }
}
