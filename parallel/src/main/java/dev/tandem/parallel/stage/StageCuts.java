package dev.tandem.parallel.stage;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.LayerNames;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.nn.spec.Transfer;
import dev.tandem.parallel.LocalNetwork;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Cuts what a rank computes into stages: its layers in their order. Each tensor that is used behind
 * a cut crosses it as a pair of exchanges, one that sends at the end of a stage and one that
 * receives at the beginning of the next; a tensor that is used later is handed on. So the gradient
 * of a tensor is summed in the order in which the undivided network does it.
 *
 * <p>Immutable; stages of all ranks fit each other where cuts are the same.
 */
public final class StageCuts {

  private final LocalNetwork local;
  private final NetworkSpec spec;
  private final Map<String, Integer> places = new HashMap<>();
  private final Map<String, Integer> lastUse = new HashMap<>();
  private final Map<String, Shape> shapes;
  private final int[] parameters;
  private final Map<String, SampleShare> samples = new HashMap<>();
  private final Set<String> learning = new HashSet<>();
  private final List<List<String>> crossing;

  /**
   * The cuts of a network.
   *
   * @param local the network, not cut into stages so far
   * @param frozen names of layers that do not learn: no gradients travel to what lies before the
   *     lowest layer that does
   */
  public StageCuts(LocalNetwork local, Set<String> frozen) {
    this.local = local;
    spec = local.spec();
    shapes = spec.shapes();
    parameters = new int[spec.nodes().size()];
    List<List<Shape>> inputs = spec.layerInputs();
    places.put(NetworkSpec.INPUT, -1);
    samples.put(NetworkSpec.INPUT, local.inputSamples());
    for (int i = 0; i < spec.nodes().size(); i++) {
      Node node = spec.nodes().get(i);
      places.put(node.name(), i);
      parameters[i] = node.layer().parameters(inputs.get(i)).size();
      for (String input : node.inputs()) {
        lastUse.put(input, i);
      }
      samples.put(
          node.name(),
          node.layer() instanceof Exchange exchange
              ? exchange.forward().result()
              : samples.get(node.inputs().getFirst()));
      boolean learns = parameters[i] > 0 && !frozen.contains(node.name());
      if (learns || node.inputs().stream().anyMatch(learning::contains)) {
        learning.add(node.name());
      }
    }
    crossing = crossings();
  }

  /** The network that is cut. */
  public NetworkSpec spec() {
    return spec;
  }

  /** The tensors that a cut before this layer separates from a use, in the layers' order. */
  public List<String> crossing(int layer) {
    return crossing.get(layer);
  }

  /** Elements of a sample that cross a cut before this layer, to the next stage. */
  public long elementsForward(int layer) {
    return crossing.get(layer).stream().mapToLong(name -> shapes.get(name).elements()).sum();
  }

  /** Elements of a sample's gradients that cross a cut before this layer, back. */
  public long elementsBackward(int layer) {
    return crossing.get(layer).stream()
        .filter(learning::contains)
        .mapToLong(name -> shapes.get(name).elements())
        .sum();
  }

  /** What is open before each layer: what was made before it and is used by it or later. */
  private List<List<String>> crossings() {
    List<List<String>> all = new ArrayList<>();
    List<String> open = new ArrayList<>();
    open.add(NetworkSpec.INPUT);
    for (int i = 0; i < spec.nodes().size(); i++) {
      int place = i;
      open.removeIf(name -> lastUse.getOrDefault(name, -1) < place);
      all.add(List.copyOf(open));
      open.add(spec.nodes().get(i).name());
    }
    return all;
  }

  /** Number of parameters of a layer. */
  int parameters(int layer) {
    return parameters[layer];
  }

  /**
   * Refuses more stages than there are layers with parameters: each stage has at least one.
   *
   * @throws UsageException if it does
   */
  public void check(int stages) {
    int possible = 0;
    for (int i = 0; i < spec.nodes().size(); i++) {
      possible += parameters[i] > 0 ? 1 : 0;
    }
    if (stages > possible) {
      throw new UsageException(
          "pipeline=%d: only %d layers can begin a stage".formatted(stages, possible));
    }
  }

  /**
   * The places of the layers that begin the stages, the first of all included.
   *
   * @param names of the layers that begin all stages but the first
   * @throws UsageException if they are not as many layers as are needed, in their order, each stage
   *     with parameters
   */
  public List<Integer> begins(List<String> names, int stages) {
    check(stages);
    if (names.size() != stages - 1) {
      throw new UsageException(
          "pipeline.cuts must name %d layers for %d stages, not %d; cuts: auto finds them"
              .formatted(stages - 1, stages, names.size()));
    }
    List<Integer> begins = new ArrayList<>(List.of(0));
    for (String name : names) {
      Integer place = places.get(name);
      if (place == null || place < 0) {
        List<String> known = spec.nodes().stream().map(Node::name).toList();
        throw new UsageException(
            "pipeline.cuts: no layer is named '%s'; similar names: %s"
                .formatted(name, String.join(", ", LayerNames.similar(name, known))));
      }
      if (place <= begins.getLast()) {
        throw new UsageException(
            "pipeline.cuts: layer %s does not come after %s: name the layers in the network's order"
                .formatted(name, spec.nodes().get(begins.getLast()).name()));
      }
      begins.add(place);
    }
    for (int stage = 0; stage < stages; stage++) {
      int own = 0;
      for (int i = begins.get(stage); i < end(begins, stage); i++) {
        own += parameters[i];
      }
      if (own == 0) {
        throw new UsageException(
            "pipeline.cuts: stage %d (%s to %s) has no layer with parameters"
                .formatted(
                    stage,
                    spec.nodes().get(begins.get(stage)).name(),
                    spec.nodes().get(end(begins, stage) - 1).name()));
      }
    }
    return List.copyOf(begins);
  }

  /** The layers that begin all stages but the first, as {@link #begins} reads them. */
  public List<String> names(List<Integer> begins) {
    return begins.stream().skip(1).map(place -> spec.nodes().get(place).name()).toList();
  }

  /** The stage that has the network's answer. */
  public int answering(List<Integer> begins) {
    int place = places.get(spec.outputs().getFirst().layer());
    int stage = begins.size() - 1;
    while (begins.get(stage) > place) {
      stage--;
    }
    return stage;
  }

  /**
   * What the rank of a stage computes: its own layers, and exchanges at both ends.
   *
   * @param begins places of the layers that begin the stages
   * @param before moves memory to and from the stage before, in whose group this one is rank 1;
   *     empty for the first stage
   * @param after likewise the stage after, in whose group this one is rank 0; empty for the last
   */
  public LocalNetwork stage(
      List<Integer> begins,
      int stage,
      Optional<? extends Transfer> before,
      Optional<? extends Transfer> after) {
    int begin = begins.get(stage);
    int end = end(begins, stage);
    Map<String, String> names = new HashMap<>();
    List<Node> nodes = new ArrayList<>();
    if (stage > 0) {
      for (String tensor : crossing(begin)) {
        Exchange receive = received(tensor, before.orElseThrow());
        names.put(tensor, receive.name());
        nodes.add(new Node(receive, List.of()));
      }
    }
    Set<String> own = new LinkedHashSet<>();
    for (Node node : spec.nodes().subList(begin, end)) {
      own.add(node.name());
      nodes.add(
          new Node(
              node.layer(),
              node.inputs().stream().map(name -> names.getOrDefault(name, name)).toList()));
    }
    if (end < spec.nodes().size()) {
      for (String tensor : crossing(end)) {
        nodes.add(
            new Node(
                sent(tensor, after.orElseThrow()), List.of(names.getOrDefault(tensor, tensor))));
      }
    }
    return restricted(
        new NetworkSpec(
            spec.input(),
            nodes,
            spec.outputs().stream().filter(output -> own.contains(output.layer())).toList(),
            spec.loss()));
  }

  private LocalNetwork restricted(NetworkSpec stage) {
    Set<String> tensors =
        Stream.concat(stage.parameters().stream(), stage.buffers().stream())
            .map(ParameterSpec::name)
            .collect(Collectors.toSet());
    Set<String> layers = stage.nodes().stream().map(Node::name).collect(Collectors.toSet());
    return new LocalNetwork(
        local.whole(),
        stage,
        local.input(),
        local.inputSamples(),
        only(local.regions(), tensors),
        only(local.sums(), tensors),
        only(local.statistics(), layers),
        only(local.copies(), tensors),
        only(local.tensors(), layers),
        only(local.modes(), layers),
        local.notes());
  }

  private static <T> Map<String, T> only(Map<String, T> map, Set<String> keys) {
    return map.entrySet().stream()
        .filter(entry -> keys.contains(entry.getKey()))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private int end(List<Integer> begins, int stage) {
    return stage + 1 < begins.size() ? begins.get(stage + 1) : spec.nodes().size();
  }

  private Exchange received(String tensor, Transfer before) {
    CrossingTensor crossing = new CrossingTensor(shapes.get(tensor), samples.get(tensor), 0);
    return new Exchange(
        tensor + ".received",
        Exchange.Role.RECEIVE,
        shapes.get(tensor),
        crossing.in(),
        crossing.out(),
        before,
        learning.contains(tensor));
  }

  private Exchange sent(String tensor, Transfer after) {
    CrossingTensor crossing = new CrossingTensor(shapes.get(tensor), samples.get(tensor), 1);
    return new Exchange(
        tensor + ".sent",
        Exchange.Role.SEND,
        shapes.get(tensor),
        crossing.out(),
        crossing.in(),
        after,
        learning.contains(tensor));
  }
}
