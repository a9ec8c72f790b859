package dev.tandem.parallel;

import dev.tandem.core.Region;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
import dev.tandem.nn.spec.NetworkSpec.Output;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.nn.spec.Positions;
import dev.tandem.nn.spec.Transfer;
import dev.tandem.parallel.mesh.Cut;
import dev.tandem.parallel.mesh.Distribution;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Mode;
import dev.tandem.parallel.mesh.Way;
import dev.tandem.parallel.rule.LayerRule;
import dev.tandem.parallel.rule.LocalLayer;
import dev.tandem.parallel.rule.Placement;
import dev.tandem.parallel.rule.Site;
import dev.tandem.parallel.strategy.Strategy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Makes the network of one rank. Layer by layer: the rules say what the layer needs along each
 * axis, exchanges bring its inputs into that form, and the layer gets local extents.
 */
public final class Planner {

  private final NetworkSpec whole;
  private final Mesh mesh;
  private final Strategy strategy;
  private final int rank;
  private final Function<Set<String>, Transfer> transfers;
  private final Map<String, Shape> shapes;
  private final Assembly assembly;
  private final Map<String, Region> regions = new HashMap<>();
  private final Map<String, Set<String>> sums = new HashMap<>();
  private final Map<String, Set<String>> statistics = new HashMap<>();
  private final Map<String, Set<String>> copies = new HashMap<>();
  private final Map<String, Map<String, Mode>> modes = new LinkedHashMap<>();
  private final List<String> notes = new ArrayList<>();

  private Planner(
      NetworkSpec whole,
      Mesh mesh,
      Strategy strategy,
      int rank,
      Function<Set<String>, Transfer> transfers) {
    this.whole = whole;
    this.mesh = mesh;
    this.strategy = strategy;
    this.rank = rank;
    this.transfers = transfers;
    shapes = whole.shapes();
    assembly = new Assembly(whole, mesh, rank, transfers);
  }

  /**
   * What a rank computes.
   *
   * @param transfers moves memory along these inner axes
   * @throws UsageException if a layer cannot work in the mode that was asked for by its name
   */
  public static LocalNetwork plan(
      NetworkSpec whole,
      Mesh mesh,
      Strategy strategy,
      int rank,
      Function<Set<String>, Transfer> transfers) {
    return new Planner(whole, mesh, strategy, rank, transfers).plan();
  }

  private LocalNetwork plan() {
    List<Map<String, Strategy.Assigned>> assigned = strategy.modes(whole, mesh);
    for (int i = 0; i < whole.nodes().size(); i++) {
      place(whole.nodes().get(i), assigned.get(i));
    }
    List<Output> outputs = new ArrayList<>();
    for (Output output : whole.outputs()) {
      Assembly.Tensor answer =
          assembly.converted(
              assembly.tensor(output.layer()), Distribution.whole(mesh), Set.of(), 0);
      outputs.add(new Output(answer.name(), output.weight()));
    }
    Distribution input = assembly.input();
    NetworkSpec spec =
        new NetworkSpec(
            input.region(whole.input(), mesh, rank).local(),
            assembly.nodes(),
            outputs,
            whole.loss());
    assembly.check(spec);
    return new LocalNetwork(
        whole,
        spec,
        input.region(whole.input(), mesh, rank),
        input.samples(mesh, rank),
        regions,
        sums,
        statistics,
        copies,
        assembly.tensors(),
        modes,
        notes);
  }

  private void place(Node node, Map<String, Strategy.Assigned> assigned) {
    List<Assembly.Tensor> inputs = new ArrayList<>();
    for (String input : node.inputs()) {
      inputs.add(
          node.layer() instanceof Add
              ? assembly.tensor(input)
              : complete(assembly.tensor(input), assigned));
    }
    Map<String, Placement> placements = placements(node, assigned, inputs);
    List<String> names = new ArrayList<>();
    List<Region> taken = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      Assembly.Tensor input = inputs.get(i);
      Distribution target = input.distribution();
      Set<String> summed = new HashSet<>();
      double fill = 0;
      for (Map.Entry<String, Placement> entry : placements.entrySet()) {
        Placement.Need need = entry.getValue().needs().get(i);
        target = target.with(entry.getKey(), need.way());
        if (need.sums()) {
          summed.add(entry.getKey());
        }
        fill = entry.getValue().fill() == 0 ? fill : entry.getValue().fill();
      }
      names.add(assembly.converted(input, target, summed, fill).name());
      taken.add(target.region(shapes.get(node.inputs().get(i)), mesh, rank));
    }
    Distribution produced = Distribution.whole(mesh);
    Distribution output = Distribution.whole(mesh);
    for (Map.Entry<String, Placement> entry : placements.entrySet()) {
      produced = produced.with(entry.getKey(), entry.getValue().produced());
      output = output.with(entry.getKey(), entry.getValue().output());
    }
    List<Shape> inputShapes = node.inputs().stream().map(shapes::get).toList();
    LocalLayer local =
        new LocalLayer(
            node.layer(),
            inputShapes,
            placements,
            mesh,
            rank,
            taken.getFirst(),
            produced.region(shapes.get(node.name()), mesh, rank),
            produced.samples(mesh, rank),
            statistics(node.layer(), placements));
    LayerSpec spec = local.spec();
    assembly.add(new Node(spec, names), node.name(), produced, output);
    Map<String, Mode> own = new LinkedHashMap<>();
    placements.forEach((axis, placement) -> own.put(axis, placement.mode()));
    modes.put(node.name(), own);
    state(node.layer(), inputShapes, local, spec, taken);
    if (strategy.eager()) {
      gatherAt(node.name(), placements);
    }
  }

  /** What the layer does along each axis; no two axes split the same dimension. */
  private Map<String, Placement> placements(
      Node node, Map<String, Strategy.Assigned> assigned, List<Assembly.Tensor> inputs) {
    Map<String, Placement> placements = new LinkedHashMap<>();
    for (Mesh.Axis axis : mesh.inner()) {
      Strategy.Assigned wanted = assigned.get(axis.name());
      Site site =
          new Site(
              node.layer(),
              node.inputs().stream().map(shapes::get).toList(),
              shapes.get(node.name()),
              axis,
              wanted.mode(),
              inputs.stream().map(input -> input.distribution().way(axis.name())).toList());
      Placement placement = LayerRule.of(site);
      placement.note().ifPresent(note -> tell(node, note, wanted.demanded()));
      if (placements.values().stream().anyMatch(other -> collide(other, placement))) {
        tell(
            node,
            new Placement.Refusal(
                "layer %s: another axis than %s splits it already"
                    .formatted(node.name(), axis.name()),
                "use one of them"),
            wanted.demanded());
        placements.put(axis.name(), LayerRule.of(site.in(Mode.WHOLE)));
      } else {
        placements.put(axis.name(), placement);
      }
    }
    return placements;
  }

  private void tell(Node node, Placement.Refusal refusal, boolean demanded) {
    if (demanded) {
      throw new UsageException(
          "%s: %s, or layers: {%s: whole}"
              .formatted(refusal.reason(), refusal.remedy(), node.name()));
    }
    notes.add(refusal.reason() + ": every rank computes all of it");
  }

  private static boolean collide(Placement one, Placement other) {
    boolean filters = one.mode() == Mode.FILTER && other.mode() == Mode.FILTER;
    if (filters || same(one.produced(), other.produced())) {
      return true;
    }
    for (int i = 0; i < one.needs().size(); i++) {
      if (same(one.needs().get(i).way(), other.needs().get(i).way())) {
        return true;
      }
    }
    return false;
  }

  private static boolean same(Way one, Way other) {
    return one instanceof Way.Split split
        && other instanceof Way.Split also
        && split.dimension() == also.dimension();
  }

  /** The tensor with sums resolved: by the first layer that is no addition. */
  private Assembly.Tensor complete(
      Assembly.Tensor tensor, Map<String, Strategy.Assigned> assigned) {
    Distribution target = tensor.distribution();
    for (Mesh.Axis axis : mesh.inner()) {
      if (target.way(axis.name()) instanceof Way.Sum) {
        target =
            target.with(
                axis.name(), resolved(tensor, target, axis, assigned.get(axis.name()).mode()));
      }
    }
    return assembly.replaced(tensor, assembly.converted(tensor, target, Set.of(), 0));
  }

  private Way resolved(Assembly.Tensor tensor, Distribution target, Mesh.Axis axis, Mode consumer) {
    if (consumer == Mode.SAMPLES) {
      return Way.SAMPLES;
    }
    int features = tensor.shape().extents().size() == 2 ? 1 : 0;
    Cut cut = Cut.even(tensor.shape().extents().get(features), axis.size());
    boolean scatters =
        consumer != Mode.WHOLE
            && !strategy.eager()
            && strategy.scattersSums(axis.name())
            && cut.reachesAll()
            && !target.splits(features, axis.name());
    return scatters ? new Way.Split(features, cut) : Way.WHOLE;
  }

  /** Parts and sums come together right after the layer. */
  private void gatherAt(String node, Map<String, Placement> placements) {
    Assembly.Tensor tensor = assembly.tensor(node);
    Distribution target = tensor.distribution();
    for (Map.Entry<String, Placement> entry : placements.entrySet()) {
      Mode mode = entry.getValue().mode();
      if (mode == Mode.FILTER || mode == Mode.CHANNEL) {
        target = target.with(entry.getKey(), Way.WHOLE);
      }
    }
    assembly.replaced(tensor, assembly.converted(tensor, target, Set.of(), 0));
  }

  /** The ranks over which a normalisation takes its sums. */
  private Optional<Transfer> statistics(LayerSpec layer, Map<String, Placement> placements) {
    Set<String> axes = new HashSet<>();
    placements.forEach(
        (axis, placement) -> {
          boolean samples = placement.mode() == Mode.SAMPLES;
          boolean space = placement.mode() == Mode.SPACE;
          if ((layer instanceof BatchNorm && (samples || space))
              || (layer instanceof GroupNorm && space)) {
            axes.add(axis);
          }
        });
    if (axes.isEmpty()) {
      return Optional.empty();
    }
    statistics.put(layer.name(), Set.copyOf(axes));
    return Optional.of(transfers.apply(axes));
  }

  /** What the rank holds of the layer's parameters and buffers. */
  private void state(
      LayerSpec layer, List<Shape> inputs, LocalLayer local, LayerSpec spec, List<Region> taken) {
    Set<String> divided = new HashSet<>();
    Set<String> replicated = new HashSet<>();
    local
        .placements()
        .forEach(
            (axis, placement) -> {
              boolean samples = placement.mode() == Mode.SAMPLES;
              boolean space = placement.mode() == Mode.SPACE;
              boolean ownRows = space && layer instanceof Positions;
              if (samples || (space && !ownRows)) {
                divided.add(axis);
              }
              if (placement.mode() == Mode.WHOLE || samples || (space && !ownRows)) {
                replicated.add(axis);
              }
            });
    List<Shape> localInputs = taken.stream().map(Region::local).toList();
    Set<String> held = new HashSet<>();
    spec.parameters(localInputs).forEach(each -> held.add(each.name()));
    spec.buffers(localInputs).forEach(each -> held.add(each.name()));
    List<ParameterSpec> all = new ArrayList<>(layer.parameters(inputs));
    all.addAll(layer.buffers(inputs));
    for (ParameterSpec parameter : all) {
      if (held.contains(parameter.name())) {
        String role = parameter.name().substring(layer.name().length() + 1);
        regions.put(parameter.name(), local.region(role, parameter.shape()));
        sums.put(parameter.name(), Set.copyOf(divided));
        copies.put(parameter.name(), Set.copyOf(replicated));
      }
    }
  }
}
