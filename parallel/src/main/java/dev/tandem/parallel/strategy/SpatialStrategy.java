package dev.tandem.parallel.strategy;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.nn.spec.TokenMean;
import dev.tandem.nn.spec.Tokens;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Mode;
import dev.tandem.parallel.rule.Space;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Each rank has a part of space, up to where the parts come together; the layers after that work on
 * all of it, every rank the same or each on other samples.
 */
record SpatialStrategy(SpaceOptions options) implements AxisStrategy {

  @Override
  public List<Mode> modes(NetworkSpec network, Mesh mesh) {
    Set<String> split =
        options.aggregate().isPresent() ? byHand(network, mesh) : automatic(network, mesh);
    Mode after = options.toSamples() ? Mode.SAMPLES : Mode.WHOLE;
    return network.nodes().stream()
        .map(node -> split.contains(node.name()) ? Mode.SPACE : after)
        .toList();
  }

  /** As late as possible, or as early as memory allows. */
  private Set<String> automatic(NetworkSpec network, Mesh mesh) {
    Set<String> latest = upTo(network, mesh, network.nodes().size());
    if (options.memoryBytes() == 0) {
      return latest;
    }
    for (int last = 1; last < network.nodes().size(); last++) {
      Set<String> split = upTo(network, mesh, last);
      if (options.bytes(network, split, parts(mesh)) <= options.memoryBytes()) {
        return split;
      }
    }
    return latest;
  }

  private static int parts(Mesh mesh) {
    return Space.NAMES.stream().mapToInt(mesh::size).reduce(1, Math::multiplyExact);
  }

  /** The layers among the first ones that can work on a part of space, and all before them. */
  private static Set<String> upTo(NetworkSpec network, Mesh mesh, int last) {
    Map<String, Shape> shapes = network.shapes();
    Set<String> split = new HashSet<>();
    Set<String> ended = new HashSet<>();
    for (Node node : network.nodes().subList(0, last)) {
      boolean fed =
          node.inputs().stream()
              .allMatch(
                  input ->
                      input.equals(NetworkSpec.INPUT)
                          || (split.contains(input) && !ended.contains(input)));
      if (fed && problem(node, shapes, mesh).isEmpty()) {
        split.add(node.name());
        if (ends(node.layer())) {
          ended.add(node.name());
        }
      }
    }
    return split;
  }

  /** Whether parts come together in this layer, by a sum. */
  private static boolean ends(LayerSpec layer) {
    return layer instanceof GlobalPool || layer instanceof TokenMean;
  }

  /** Why a layer cannot work on a part of space. */
  private static Optional<String> problem(Node node, Map<String, Shape> shapes, Mesh mesh) {
    LayerSpec layer = node.layer();
    if (layer instanceof Flatten
        || layer instanceof SelfAttention
        || (layer instanceof GlobalPool pool && pool.of() == GlobalPool.Kind.MAX)) {
      return Optional.of("it needs all places");
    }
    for (Mesh.Axis axis : mesh.inner()) {
      for (String input : node.inputs()) {
        Optional<String> rows = tooFew(axis, shapes.get(input));
        if (rows.isPresent()) {
          return rows;
        }
      }
      if (!ends(layer) && !(layer instanceof Tokens)) {
        Optional<String> rows = tooFew(axis, shapes.get(node.name()));
        if (rows.isPresent()) {
          return rows;
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<String> tooFew(Mesh.Axis axis, Shape shape) {
    if (!Space.NAMES.contains(axis.name()) || shape.extents().size() == 2) {
      return Optional.empty();
    }
    OptionalInt dimension = Space.dimension(axis.name(), shape);
    long rows = dimension.isEmpty() ? 1 : shape.extents().get(dimension.getAsInt());
    return rows < axis.size()
        ? Optional.of("%d rows for %d ranks along %s".formatted(rows, axis.size(), axis.name()))
        : Optional.empty();
  }

  private Set<String> byHand(NetworkSpec network, Mesh mesh) {
    String name = options.aggregate().orElseThrow();
    List<String> names = network.nodes().stream().map(Node::name).toList();
    if (!names.contains(name)) {
      throw new UsageException("spatial.aggregate: no layer is named '%s'".formatted(name));
    }
    Set<String> split = upTo(network, mesh, names.indexOf(name) + 1);
    if (!split.contains(name)) {
      Map<String, Shape> shapes = network.shapes();
      List<String> before = new ArrayList<>();
      for (Node node : network.nodes().subList(0, names.indexOf(name) + 1)) {
        Optional<String> problem = problem(node, shapes, mesh);
        if (problem.isPresent()) {
          throw new UsageException(
              "layer %s: %s: aggregate after %s or earlier"
                  .formatted(
                      node.name(),
                      problem.get(),
                      before.isEmpty() ? NetworkSpec.INPUT : before.getLast()));
        }
        before.add(node.name());
      }
      throw new UsageException(
          "layer %s: parts of space came together before it: aggregate earlier".formatted(name));
    }
    return split;
  }
}
