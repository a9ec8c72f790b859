package dev.tandem.parallel.strategy;

import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Mode;
import java.util.ArrayList;
import java.util.List;

/**
 * Each rank has some of the channels of every layer's input, and sums come split to the next. The
 * first layer with weights has all inputs anyway: there the filters are split.
 */
record ChannelStrategy() implements AxisStrategy {

  @Override
  public List<Mode> modes(NetworkSpec network, Mesh mesh) {
    List<Mode> modes = new ArrayList<>();
    for (NetworkSpec.Node node : network.nodes()) {
      boolean first = !modes.contains(Mode.FILTER);
      modes.add(
          !AxisStrategy.hasWeights(node.layer())
              ? Mode.FOLLOW
              : first ? Mode.FILTER : Mode.CHANNEL);
    }
    return modes;
  }

  @Override
  public boolean scattersSums() {
    return true;
  }
}
