package dev.tandem.oracle.projection;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.LayerCost;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.oracle.profile.LayerSeconds;
import java.util.List;
import java.util.Set;

/**
 * A device on which every number of a layer's output takes as long, and every byte of an update.
 */
record RateSeconds(double perOutput, double perUpdatedByte) implements LayerSeconds {

  @Override
  public Passes of(LayerSpec layer, List<Shape> inputs, long samples) {
    double one = layer.output(inputs).elements() * samples * perOutput;
    boolean weights = !layer.parameters(inputs).isEmpty();
    return new Passes(one, one, weights ? one : 0, true, 0.1);
  }

  @Override
  public double update(long bytes, int tensors, int stateValues) {
    return bytes * perUpdatedByte;
  }

  @Override
  public double copy(long bytes) {
    return bytes * perUpdatedByte;
  }

  @Override
  public double perPass(int layers) {
    return 0;
  }

  /** Forward and backward passes of a sample through a whole network. */
  double sample(NetworkSpec network) {
    double seconds = 0;
    for (LayerCost cost : LayerCost.of(network, Set.of())) {
      boolean first = cost.inputs().equals(List.of(NetworkSpec.INPUT));
      int passes = 1 + (first ? 0 : 1) + (cost.parameters() > 0 ? 1 : 0);
      seconds += passes * perOutput * cost.output().elements();
    }
    return seconds;
  }
}
