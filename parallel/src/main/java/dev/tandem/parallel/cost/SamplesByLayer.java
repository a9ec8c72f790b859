package dev.tandem.parallel.cost;

import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.parallel.LocalNetwork;
import java.util.HashMap;
import java.util.Map;

/** Which of its group's samples a rank has in each tensor of its network. */
public final class SamplesByLayer {

  private SamplesByLayer() {}

  /** By the names of layers, and of the input. */
  public static Map<String, SampleShare> of(LocalNetwork network) {
    Map<String, SampleShare> shares = new HashMap<>();
    shares.put(NetworkSpec.INPUT, network.inputSamples());
    for (NetworkSpec.Node node : network.spec().nodes()) {
      shares.put(
          node.name(),
          node.layer() instanceof Exchange exchange
              ? exchange.forward().result()
              : shares.get(node.inputs().getFirst()));
    }
    return shares;
  }
}
