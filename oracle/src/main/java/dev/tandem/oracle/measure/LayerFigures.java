package dev.tandem.oracle.measure;

import dev.tandem.core.Shape;
import dev.tandem.nn.LayerTimer;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.LayerCost;
import dev.tandem.nn.spec.LayerPass;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.oracle.profile.LayerSignature;
import dev.tandem.oracle.profile.Profile;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.cost.SamplesByLayer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Gathers what the passes of layers took on a rank, by signature and samples. One thread. */
final class LayerFigures {

  /** What is not a layer of its own: packing and unpacking. */
  record Copied(long bytes, double seconds) {}

  /** What a pass took besides its layers. */
  record Besides(int layers, double seconds) {}

  private record Key(String signature, int samples) {}

  /** The runs of a layer in one turn. */
  private static final class Layer {
    private final Map<LayerPass, Long> now = new HashMap<>();
    private final Map<LayerPass, List<Double>> runs = new HashMap<>();
    private final List<Double> sums = new ArrayList<>();

    void end() {
      double sum = 0;
      for (LayerPass pass : LayerPass.values()) {
        double seconds = now.getOrDefault(pass, 0L) / 1e9;
        runs.computeIfAbsent(pass, _ -> new ArrayList<>()).add(seconds);
        sum += seconds;
      }
      sums.add(sum);
      now.clear();
    }

    double seconds(LayerPass pass, boolean shared) {
      return Runs.of(array(runs.get(pass)), shared).seconds();
    }
  }

  private final boolean shared;
  private final Map<String, Profile.Layer> layers = new LinkedHashMap<>();
  private final Map<Key, List<Profile.Times>> times = new HashMap<>();
  private final Map<Key, Profile.Times> means = new HashMap<>();
  private final List<Copied> copies = new ArrayList<>();
  private final List<Besides> besides = new ArrayList<>();

  /**
   * No figures yet.
   *
   * @param shared whether ranks take turns on cores
   */
  LayerFigures(boolean shared) {
    this.shared = shared;
  }

  private static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /** The passes of a rank's network in one turn. */
  final class Turn implements LayerTimer {

    private final LocalNetwork network;
    private final Map<String, Layer> own = new HashMap<>();
    private final List<Double> rest = new ArrayList<>();
    private final Set<String> exchanges = new HashSet<>();
    private final List<double[]> stretches = new ArrayList<>();
    private final List<Double> current = new ArrayList<>();
    private long stretch;
    private long told;

    Turn(LocalNetwork network) {
      this.network = network;
      for (NetworkSpec.Node node : network.spec().nodes()) {
        own.put(node.name(), new Layer());
        if (node.layer() instanceof Exchange) {
          exchanges.add(node.name());
        }
      }
    }

    @Override
    public void took(String layer, LayerPass pass, long computing, long transferring) {
      own.get(layer).now.merge(pass, computing, Long::sum);
      told += computing + transferring;
      stretch += computing;
      if (exchanges.contains(layer)) {
        endStretch();
      }
    }

    private void endStretch() {
      current.add(stretch / 1e9);
      stretch = 0;
    }

    /** A forward and backward pass is done. */
    void end(long nanos) {
      own.values().forEach(Layer::end);
      rest.add((nanos - told) / 1e9);
      told = 0;
      endStretch();
      stretches.add(array(current));
      current.clear();
    }

    /** Seconds of each pass from exchange to exchange, where ranks meet. */
    List<double[]> stretches() {
      return stretches;
    }

    /** All runs of the turn are done. */
    void finish(int samples) {
      List<List<Shape>> inputs = network.spec().layerInputs();
      Map<String, SampleShare> shares = SamplesByLayer.of(network);
      for (int i = 0; i < inputs.size(); i++) {
        NetworkSpec.Node node = network.spec().nodes().get(i);
        Layer layer = own.get(node.name());
        if (node.layer() instanceof Exchange exchange) {
          copied(exchange, layer, samples);
        } else {
          int count = (int) shares.get(node.inputs().getFirst()).count(samples);
          String signature = LayerSignature.of(node.layer(), inputs.get(i)).text();
          keep(signature, node.layer(), inputs.get(i), layer, count);
        }
      }
      besides.add(new Besides(own.size(), Runs.of(array(rest), shared).seconds()));
    }

    private void copied(Exchange exchange, Layer layer, int samples) {
      keep(LayerSignature.of(exchange).text(), exchange, List.of(), layer, samples);
      copies.add(
          new Copied(
              exchange.forward().copiedElements(exchange.transfer().rank(), samples) * Float.BYTES,
              layer.seconds(LayerPass.FORWARD, shared)));
      copies.add(
          new Copied(
              exchange.backward().copiedElements(exchange.transfer().rank(), samples) * Float.BYTES,
              layer.seconds(LayerPass.BACKWARD_DATA, shared)));
    }
  }

  private void keep(
      String signature, LayerSpec spec, List<Shape> inputs, Layer layer, int samples) {
    layers.computeIfAbsent(signature, _ -> described(spec, inputs, signature));
    double both = layer.seconds(LayerPass.BACKWARD, shared);
    times
        .computeIfAbsent(new Key(signature, samples), _ -> new ArrayList<>())
        .add(
            new Profile.Times(
                samples,
                layer.seconds(LayerPass.FORWARD, shared),
                both + layer.seconds(LayerPass.BACKWARD_DATA, shared),
                layer.seconds(LayerPass.BACKWARD_WEIGHTS, shared),
                Runs.of(array(layer.sums), shared).spread()));
  }

  private static Profile.Layer described(LayerSpec spec, List<Shape> inputs, String signature) {
    return new Profile.Layer(
        spec.name(),
        spec.kind(),
        signature,
        inputs.stream().map(Shape::extents).toList(),
        spec.output(inputs).extents(),
        spec.parameters(inputs).stream().mapToLong(each -> each.shape().elements()).sum(),
        LayerCost.forward(spec, inputs),
        List.of());
  }

  /** All has been measured once more: of each layer the mean of the rounds counts. */
  void endRound() {
    times.forEach(
        (key, all) -> means.merge(key, Mean.of(all), (one, other) -> Mean.of(List.of(one, other))));
    times.clear();
  }

  /** Whether all layers of a rank's network are known for these samples in this round. */
  boolean knows(LocalNetwork network, int samples) {
    List<List<Shape>> inputs = network.spec().layerInputs();
    Map<String, SampleShare> shares = SamplesByLayer.of(network);
    for (int i = 0; i < inputs.size(); i++) {
      NetworkSpec.Node node = network.spec().nodes().get(i);
      if (!(node.layer() instanceof Exchange)) {
        int count = (int) shares.get(node.inputs().getFirst()).count(samples);
        String signature = LayerSignature.of(node.layer(), inputs.get(i)).text();
        if (!times.containsKey(new Key(signature, count))) {
          return false;
        }
      }
    }
    return true;
  }

  /** What was measured, layers in the order in which they came. */
  List<Profile.Layer> layers() {
    Map<String, Map<Integer, Profile.Times>> bySamples = new HashMap<>();
    means.forEach(
        (key, figures) ->
            bySamples
                .computeIfAbsent(key.signature, _ -> new TreeMap<>())
                .put(key.samples, figures));
    List<Profile.Layer> rows = new ArrayList<>();
    layers.forEach(
        (signature, layer) ->
            rows.add(Mean.with(layer, List.copyOf(bySamples.get(signature).values()))));
    return rows;
  }

  List<Copied> copies() {
    return copies;
  }

  List<Besides> besides() {
    return besides;
  }
}
