package dev.tandem.oracle.projection;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
import dev.tandem.oracle.profile.LayerSeconds;
import dev.tandem.oracle.profile.LayerSeconds.Passes;
import dev.tandem.oracle.profile.LayerSignature;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What layers take, asked once for each kind of layer and number of samples. Thread-safe. */
final class RememberedPasses {

  private record Asked(LayerSignature signature, long samples) {}

  /** A layer of the network that is not split. */
  private record Whole(Node node, List<Shape> inputs, LayerSignature signature) {}

  private final LayerSeconds layers;
  private final Map<Asked, Passes> known = new ConcurrentHashMap<>();
  private final Map<String, Whole> wholes = new HashMap<>();

  RememberedPasses(LayerSeconds layers, NetworkSpec network) {
    this.layers = layers;
    List<List<Shape>> inputs = network.layerInputs();
    for (int i = 0; i < inputs.size(); i++) {
      Node node = network.nodes().get(i);
      wholes.put(
          node.name(),
          new Whole(node, inputs.get(i), LayerSignature.of(node.layer(), inputs.get(i))));
    }
  }

  LayerSeconds layers() {
    return layers;
  }

  /** Of what a rank computes of a layer. */
  Passes of(LocalPlan.Work work, long samples) {
    return of(work.layer(), work.inputs(), work.signature().orElseThrow(), samples);
  }

  /** Of all of a layer. */
  Passes whole(String layer, long samples) {
    Whole whole = wholes.get(layer);
    return of(whole.node.layer(), whole.inputs, whole.signature, samples);
  }

  private Passes of(LayerSpec layer, List<Shape> inputs, LayerSignature signature, long samples) {
    Asked asked = new Asked(signature, samples);
    Passes passes = known.get(asked);
    if (passes == null) {
      passes = layers.of(layer, inputs, samples);
      known.put(asked, passes);
    }
    return passes;
  }
}
