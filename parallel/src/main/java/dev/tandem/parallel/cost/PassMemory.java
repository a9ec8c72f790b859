package dev.tandem.parallel.cost;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.LayerBytes;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.KeptOutputs;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.cost.LiveBytes.Piece;
import dev.tandem.parallel.shard.ShardStage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A training pass of one batch that allocates nothing: goes through a network as the engine does,
 * and counts what would be there.
 */
final class PassMemory {

  /** What the loss makes: logarithms, shares, and what they are scaled to. */
  private static final int OF_LOSS = 3;

  private final LocalNetwork network;
  private final List<Node> nodes;
  private final Map<String, Integer> numbers = new HashMap<>();
  private final KeptOutputs kept;
  private final LayerBytes[] layers;
  private final List<Shape> shapes = new ArrayList<>();
  private final long[] samples;
  private final long inputSamples;
  private final boolean[] frozen;
  private final int[] lastUse;
  private final boolean repeated;
  private final int size;
  private final Piece[] outputs;
  private final Piece[] gradients;
  private final boolean[] saved;
  private final Map<String, Long> held = new LinkedHashMap<>();
  private final LiveBytes live = new LiveBytes();

  /** A pass of the most samples that a step's passes have. */
  PassMemory(LocalNetwork network, PlannedStep step) {
    this.network = network;
    nodes = network.spec().nodes();
    kept = new KeptOutputs(network.spec(), step.frozen());
    repeated = step.passes().stream().anyMatch(PlannedStep.Pass::repeated);
    size = step.activations().bytes();
    long most = step.passes().stream().mapToLong(PlannedStep.Pass::samples).max().orElse(0);
    Map<String, SampleShare> shares = SamplesByLayer.of(network);
    List<List<Shape>> inputs = network.spec().layerInputs();
    layers = new LayerBytes[nodes.size()];
    samples = new long[nodes.size()];
    frozen = new boolean[nodes.size()];
    lastUse = new int[nodes.size()];
    outputs = new Piece[nodes.size()];
    gradients = new Piece[nodes.size()];
    saved = new boolean[nodes.size()];
    for (int i = 0; i < nodes.size(); i++) {
      Node node = nodes.get(i);
      numbers.put(node.name(), i);
      samples[i] = shares.get(node.name()).count(most);
      frozen[i] = step.frozen().contains(node.name());
      shapes.add(node.layer().output(inputs.get(i)));
      String before = node.inputs().isEmpty() ? node.name() : node.inputs().getFirst();
      layers[i] =
          LayerBytes.of(
              node.layer(),
              inputs.get(i),
              new LayerBytes.Use(
                  step.parameters(),
                  step.activations(),
                  shares.get(before).count(most),
                  samples[i],
                  !step.shard().equals(Optional.of(ShardStage.PARAMETERS)),
                  kept.overwrites(node.name()),
                  step.synchronised() && !frozen[i]));
      for (String input : node.inputs()) {
        if (numbers.containsKey(input)) {
          lastUse[numbers.get(input)] = i;
        }
      }
    }
    inputSamples = network.inputSamples().count(most);
    boolean taken = nodes.stream().anyMatch(node -> node.inputs().contains(NetworkSpec.INPUT));
    long input =
        LayerBytes.input(
            network.spec().input(), inputSamples, step.parameters(), step.activations());
    run(taken ? input : 0);
  }

  /** What is there between the passes, by layer, and of the input. */
  Map<String, Long> held() {
    return held;
  }

  /** The most that is there at a time. */
  long peak() {
    return live.peak();
  }

  private void run(long input) {
    live.make(input);
    for (int i = 0; i < nodes.size(); i++) {
      forward(i, repeated);
    }
    loss();
    hold(input);
    if (repeated) {
      for (int i = 0; i < nodes.size(); i++) {
        if (!crosses(i)) {
          dropPass(i);
        }
      }
      for (int i = 0; i < nodes.size(); i++) {
        if (outputs[i] == null) {
          forward(i, false);
        }
      }
    }
    for (int i = nodes.size() - 1; i >= 0; i--) {
      backward(i);
    }
  }

  /** Notes what is there, each piece once. */
  private void hold(long input) {
    held.put(NetworkSpec.INPUT, input);
    Set<Piece> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < nodes.size(); i++) {
      long bytes = saved[i] ? layers[i].saved() : 0;
      for (Piece piece : new Piece[] {outputs[i], gradients[i]}) {
        if (piece != null && seen.add(piece)) {
          bytes += piece.bytes();
        }
      }
      if (bytes > 0) {
        held.put(nodes.get(i).name(), bytes);
      }
    }
  }

  private void forward(int node, boolean forAgain) {
    LayerBytes bytes = layers[node];
    List<String> inputs = nodes.get(node).inputs();
    live.make(bytes.output() + bytes.saved() + bytes.forward());
    live.free(bytes.forward());
    saved[node] = true;
    Integer before = inputs.isEmpty() ? null : numbers.get(inputs.getFirst());
    boolean sends =
        nodes.get(node).layer() instanceof Exchange each && each.role() == Exchange.Role.SEND;
    if (bytes.output() == 0 && before != null && outputs[before] != null && !sends) {
      outputs[node] = outputs[before];
      outputs[node].share();
    } else {
      outputs[node] = new Piece(bytes.output());
    }
    if (!kept.learns(nodes.get(node).name()) || forAgain) {
      dropSaved(node);
    }
    for (String input : inputs) {
      Integer number = numbers.get(input);
      if (number == null || lastUse[number] != node) {
        continue;
      }
      if (forAgain) {
        if (!crosses(number) && !isOutput(input)) {
          dropPass(number);
        }
      } else if (!kept.keeps(input) && !kept.learns(input)) {
        dropPass(number);
      } else if (!kept.keeps(input)) {
        dropOutput(number);
      }
    }
  }

  private void loss() {
    for (NetworkSpec.Output output : network.spec().outputs()) {
      int node = numbers.get(output.layer());
      long bytes = shapes.get(node).elements() * samples[node];
      live.make(OF_LOSS * bytes * DType.FLOAT32.bytes());
      live.free(OF_LOSS * bytes * DType.FLOAT32.bytes());
      add(node, new Piece(bytes * size), true);
    }
  }

  private void backward(int node) {
    Node own = nodes.get(node);
    if (kept.learns(own.name())) {
      LayerBytes bytes = layers[node];
      boolean weights = !frozen[node] && !own.layer().parameters(inputShapes(own)).isEmpty();
      boolean data = own.inputs().stream().anyMatch(this::takesGradient);
      long made = data ? weights ? bytes.both() : bytes.data() : weights ? bytes.weights() : 0;
      live.make(made);
      if (data) {
        handBack(node, bytes);
      }
      live.free(made);
    }
    dropPass(node);
    dropGradient(node);
  }

  private void handBack(int node, LayerBytes bytes) {
    List<Piece> made = new ArrayList<>();
    for (String input : nodes.get(node).inputs()) {
      Piece piece = gradients[node];
      if (bytes.ownGradients() || piece == null) {
        piece = new Piece(elements(input) * size);
        live.make(piece.bytes());
        made.add(piece);
      }
      if (takesGradient(input)) {
        add(numbers.get(input), piece, false);
      }
    }
    made.forEach(live::release);
  }

  /** Sets the gradient at a node, or adds to it. */
  private void add(int node, Piece gradient, boolean owned) {
    Piece known = gradients[node];
    if (known != null) {
      gradients[node] = new Piece(known.bytes());
      live.make(known.bytes());
      live.release(known);
      return;
    }
    gradients[node] = gradient;
    if (owned) {
      live.make(gradient.bytes());
    } else {
      gradient.share();
    }
  }

  private long elements(String tensor) {
    Integer number = numbers.get(tensor);
    return number == null
        ? network.spec().input().elements() * inputSamples
        : shapes.get(number).elements() * samples[number];
  }

  private List<Shape> inputShapes(Node node) {
    return node.inputs().stream()
        .map(
            each ->
                numbers.containsKey(each) ? shapes.get(numbers.get(each)) : network.spec().input())
        .toList();
  }

  private boolean takesGradient(String tensor) {
    return numbers.containsKey(tensor) && kept.learns(tensor);
  }

  private boolean isOutput(String layer) {
    return network.spec().outputs().stream().anyMatch(output -> output.layer().equals(layer));
  }

  private boolean crosses(int node) {
    return nodes.get(node).layer() instanceof Exchange exchange
        && exchange.role() != Exchange.Role.WITHIN;
  }

  private void dropPass(int node) {
    dropSaved(node);
    dropOutput(node);
  }

  private void dropSaved(int node) {
    if (saved[node]) {
      saved[node] = false;
      live.free(layers[node].saved());
    }
  }

  private void dropOutput(int node) {
    if (outputs[node] != null) {
      live.release(outputs[node]);
      outputs[node] = null;
    }
  }

  private void dropGradient(int node) {
    if (gradients[node] != null) {
      live.release(gradients[node]);
      gradients[node] = null;
    }
  }
}
