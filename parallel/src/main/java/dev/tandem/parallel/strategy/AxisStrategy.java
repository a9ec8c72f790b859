package dev.tandem.parallel.strategy;

import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Mode;
import java.util.List;

/** A way to split a network along one axis. */
public interface AxisStrategy {

  /** The mode of each layer, in the network's order. */
  List<Mode> modes(NetworkSpec network, Mesh mesh);

  /** Whether sums become split tensors rather than whole ones, where the next layer takes both. */
  default boolean scattersSums() {
    return false;
  }

  /** Whether a layer has weights that can be split. */
  static boolean hasWeights(LayerSpec layer) {
    return layer instanceof Convolution
        || layer instanceof FullyConnected
        || layer instanceof SelfAttention;
  }
}
