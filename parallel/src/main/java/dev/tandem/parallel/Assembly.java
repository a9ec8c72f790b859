package dev.tandem.parallel;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.Movement;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.nn.spec.Transfer;
import dev.tandem.parallel.LocalNetwork.LocalTensor;
import dev.tandem.parallel.exchange.Conversion;
import dev.tandem.parallel.exchange.NoTransfer;
import dev.tandem.parallel.mesh.Distribution;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Way;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** The local network while it is made: its layers so far, and what each tensor is. */
final class Assembly {

  /**
   * A tensor of the local network.
   *
   * @param origin the layer of the whole network that it comes from
   * @param name of the local layer that makes it
   * @param shape of a whole sample
   */
  record Tensor(String origin, String name, Shape shape, Distribution distribution) {}

  /** What decides which exchange it is: those that need the same share it. */
  private record Target(String from, Distribution to, Set<String> sums, double fill) {}

  private final NetworkSpec whole;
  private final Mesh mesh;
  private final int rank;
  private final Function<Set<String>, Transfer> transfers;
  private final Map<String, Shape> shapes;
  private final List<Node> nodes = new ArrayList<>();
  private final Map<String, Tensor> tensors = new HashMap<>();
  private final Map<String, LocalTensor> made = new HashMap<>();
  private final Map<String, Tensor> byName = new HashMap<>();
  private final Map<Target, Tensor> exchanges = new HashMap<>();
  private Distribution input;

  Assembly(NetworkSpec whole, Mesh mesh, int rank, Function<Set<String>, Transfer> transfers) {
    this.whole = whole;
    this.mesh = mesh;
    this.rank = rank;
    this.transfers = transfers;
    shapes = whole.shapes();
    input = Distribution.whole(mesh);
    tensors.put(
        NetworkSpec.INPUT, new Tensor(NetworkSpec.INPUT, NetworkSpec.INPUT, whole.input(), input));
  }

  List<Node> nodes() {
    return nodes;
  }

  /** What the ranks have of the network's input. */
  Distribution input() {
    return input;
  }

  /** The output of a layer of the whole network, or the input. */
  Tensor tensor(String layer) {
    return tensors.get(layer);
  }

  /** From now on layers get this one instead. */
  Tensor replaced(Tensor tensor, Tensor by) {
    tensors.put(tensor.origin(), by);
    return by;
  }

  /** Adds a layer; margins that it makes are cut off, and summands get their shares. */
  void add(Node node, String origin, Distribution produced, Distribution output) {
    Shape shape = shapes.get(origin);
    nodes.add(node);
    Tensor tensor = new Tensor(origin, node.name(), shape, produced);
    remember(tensor);
    tensors.put(origin, tensor);
    double factor = factor(produced);
    if (factor != 1) {
      tensors.put(origin, scaled(tensor, output, factor));
    } else if (!produced.equals(output)) {
      tensors.put(
          origin,
          exchange(
              tensor,
              new Conversion(mesh, rank, shape, produced, output, Set.of(), false, 0),
              "crop"));
    }
  }

  private double factor(Distribution produced) {
    double factor = 1;
    for (Map.Entry<String, Way> entry : produced.ways().entrySet()) {
      if (entry.getValue() instanceof Way.Sum sum) {
        factor *= sum.share(mesh.coordinate(rank, entry.getKey()));
      }
    }
    return factor;
  }

  private Tensor scaled(Tensor tensor, Distribution output, double factor) {
    Shape local = output.region(tensor.shape(), mesh, rank).local();
    SampleShare samples = output.samples(mesh, rank);
    List<Movement.Parcel> all =
        List.of(
            new Movement.Parcel(
                0,
                List.of(
                    new Movement.Box(
                        samples,
                        local.extents().stream()
                            .map(extent -> new Movement.Range(0, extent))
                            .toList()))));
    Movement movement =
        new Movement(
            Movement.Operation.COPY,
            Movement.Collective.LOCAL,
            factor,
            0,
            samples,
            samples,
            all,
            all);
    return added(tensor, output, "share", movement, movement, NoTransfer.ALONE);
  }

  /**
   * The tensor in another distribution.
   *
   * @param sums axes along which the gradients that come back are summands
   * @param fill what stands beyond the borders
   */
  Tensor converted(Tensor tensor, Distribution target, Set<String> sums, double fill) {
    boolean fromInput = tensor.name().equals(NetworkSpec.INPUT);
    if (fromInput && fill == 0 && uses(NetworkSpec.INPUT) == 1) {
      // It comes as it is needed: with margins, or only some samples.
      input = target;
      return replaced(
          tensor, new Tensor(NetworkSpec.INPUT, NetworkSpec.INPUT, whole.input(), target));
    }
    Tensor reached = tensor;
    for (Change change : Change.between(mesh, tensor.distribution(), target, sums)) {
      Set<String> axes = change.axes();
      boolean summed = change.sums();
      Distribution next = reached.distribution();
      for (String axis : axes) {
        next = next.with(axis, change.to().way(axis));
      }
      if (fromInput && next.equals(reached.distribution())) {
        continue;
      }
      Target key = new Target(reached.name(), next, summed ? axes : Set.of(), fill);
      Tensor known = exchanges.get(key);
      if (known == null) {
        known =
            !summed && growsBeforeActivation(reached, next, fill)
                ? activatedMargins(reached, next, axes)
                : exchange(
                    reached,
                    new Conversion(
                        mesh,
                        rank,
                        reached.shape(),
                        reached.distribution(),
                        next,
                        axes,
                        summed,
                        fill),
                    String.join("+", mesh.sorted(axes)));
        exchanges.put(key, known);
      }
      reached = known;
    }
    return reached;
  }

  /**
   * Whether margins may be exchanged before an activation rather than after it: then it works on
   * them in place, and one tensor is kept instead of two.
   */
  private boolean growsBeforeActivation(Tensor tensor, Distribution target, double fill) {
    Node last = nodes.isEmpty() ? null : nodes.getLast();
    boolean margins =
        target.ways().values().stream()
            .anyMatch(way -> way instanceof Way.Split split && !split.cut().isDisjoint());
    return last != null
        && margins
        && fill == 0
        && last.name().equals(tensor.name())
        && last.layer() instanceof Activation activation
        && activation.function() != Activation.Function.SIGMOID
        && uses(tensor.origin()) == 1
        && byName.containsKey(last.inputs().getFirst())
        && uses(byName.get(last.inputs().getFirst()).origin()) == 1
        && byName.get(last.inputs().getFirst()).distribution().equals(tensor.distribution());
  }

  private Tensor activatedMargins(Tensor tensor, Distribution target, Set<String> axes) {
    Node activation = nodes.removeLast();
    Tensor before = byName.get(activation.inputs().getFirst());
    Tensor grown =
        exchange(
            before,
            new Conversion(
                mesh, rank, before.shape(), before.distribution(), target, axes, false, 0),
            String.join("+", mesh.sorted(axes)));
    nodes.add(new Node(activation.layer(), List.of(grown.name())));
    Tensor result = new Tensor(tensor.origin(), tensor.name(), tensor.shape(), target);
    remember(result);
    return replaced(tensor, result);
  }

  private long uses(String name) {
    return whole.nodes().stream()
        .flatMap(node -> node.inputs().stream())
        .filter(name::equals)
        .count();
  }

  private Tensor exchange(Tensor from, Conversion conversion, String what) {
    Movement forward = conversion.forward();
    Movement backward = conversion.backward();
    // A margin that only some ranks cut off is a layer on all of them: their networks correspond.
    boolean travels = !conversion.axes().isEmpty();
    if (travels && forward.isIdentity() && backward.isIdentity()) {
      return new Tensor(from.origin(), from.name(), from.shape(), conversion.to());
    }
    return added(
        from,
        conversion.to(),
        what,
        forward,
        backward,
        travels ? transfers.apply(conversion.axes()) : NoTransfer.ALONE);
  }

  private Tensor added(
      Tensor from,
      Distribution to,
      String what,
      Movement forward,
      Movement backward,
      Transfer transfer) {
    String name = "%s > %s %d".formatted(from.origin(), what, nodes.size());
    Shape local = to.region(from.shape(), mesh, rank).local();
    nodes.add(
        new Node(
            new Exchange(name, Exchange.Role.WITHIN, local, forward, backward, transfer, false),
            List.of(from.name())));
    Tensor result = new Tensor(from.origin(), name, from.shape(), to);
    remember(result);
    return result;
  }

  private void remember(Tensor tensor) {
    byName.put(tensor.name(), tensor);
    Collection<Way> ways = tensor.distribution().ways().values();
    made.put(
        tensor.name(),
        new LocalTensor(
            tensor.origin(),
            tensor.distribution().region(tensor.shape(), mesh, rank),
            tensor.distribution().samples(mesh, rank),
            ways.stream().anyMatch(Way.Sum.class::isInstance),
            ways.stream()
                .anyMatch(way -> way instanceof Way.Split split && !split.cut().isDisjoint())));
  }

  /** What the output of each local layer is. */
  Map<String, LocalTensor> tensors() {
    return made;
  }

  /** Local layers make what the plan says. */
  void check(NetworkSpec spec) {
    spec.shapes()
        .forEach(
            (name, shape) -> {
              LocalTensor tensor = made.get(name);
              if (tensor != null && !tensor.region().local().equals(shape)) {
                throw new IllegalStateException(
                    "layer %s of rank %d makes %s, planned were %s"
                        .formatted(name, rank, shape, tensor.region().local()));
              }
            });
  }
}
