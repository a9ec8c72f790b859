package dev.tandem.parallel.strategy;

import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.LayerNames;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Mode;
import dev.tandem.parallel.rule.Space;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How the layers of a network work along the inner axes of a mesh: what the axes are named after,
 * and other modes for some layers.
 *
 * @param layers names or patterns of layers to words for modes; the first that fits decides
 * @param eager whether parts come together right after each layer that makes them
 */
public record Strategy(Map<String, String> layers, boolean eager, SpaceOptions space) {

  /** As the axes are named. */
  public static final Strategy USUAL = new Strategy(Map.of(), false, SpaceOptions.USUAL);

  /**
   * The mode of a layer along an axis.
   *
   * @param demanded whether the layer was named: then another mode is an error
   */
  public record Assigned(Mode mode, boolean demanded) {}

  public Strategy {
    layers = Collections.unmodifiableMap(new LinkedHashMap<>(layers));
  }

  /** The same with other modes for some layers. */
  public Strategy withLayers(Map<String, String> modes) {
    return new Strategy(modes, eager, space);
  }

  /** The same, which gathers right after each layer. */
  public Strategy eagerly() {
    return new Strategy(layers, true, space);
  }

  /** The same with other options for splits in space. */
  public Strategy withSpace(SpaceOptions options) {
    return new Strategy(layers, eager, options);
  }

  /** For each layer its mode by axis, in the network's order. */
  public List<Map<String, Assigned>> modes(NetworkSpec network, Mesh mesh) {
    List<Map<String, Assigned>> modes = new ArrayList<>();
    network.nodes().forEach(_ -> modes.add(new LinkedHashMap<>()));
    for (Mesh.Axis axis : mesh.inner()) {
      List<Mode> usual = along(axis.name()).modes(network, mesh);
      for (int i = 0; i < usual.size(); i++) {
        modes.get(i).put(axis.name(), new Assigned(usual.get(i), false));
      }
    }
    List<String> patterns = new ArrayList<>(layers.keySet());
    for (String pattern : patterns.reversed()) {
      Mode mode = mode(pattern, layers.get(pattern));
      Set<String> names = LayerNames.matching(network, List.of(pattern));
      for (int i = 0; i < modes.size(); i++) {
        if (names.contains(network.nodes().get(i).name())) {
          demand(modes.get(i), mode);
        }
      }
    }
    return modes;
  }

  /** Whether sums along an axis become split tensors. */
  public boolean scattersSums(String axis) {
    return along(axis).scattersSums();
  }

  private AxisStrategy along(String axis) {
    return switch (axis) {
      case "filter" -> new FilterStrategy();
      case "channel" -> new ChannelStrategy();
      case "alternate" -> new AlternatingStrategy();
      case "depth", "height", "width" -> new SpatialStrategy(space);
      default -> throw new IllegalArgumentException("no strategy for an axis " + axis);
    };
  }

  /** Parts of weights go along the axes that are not those of space, if there are any. */
  private static void demand(Map<String, Assigned> modes, Mode mode) {
    boolean others = modes.keySet().stream().anyMatch(axis -> !Space.NAMES.contains(axis));
    modes.replaceAll(
        (axis, usual) -> {
          boolean space = Space.NAMES.contains(axis);
          return switch (mode) {
            case FOLLOW, WHOLE, SAMPLES -> new Assigned(mode, true);
            case SPACE -> space ? new Assigned(mode, true) : usual;
            case FILTER, CHANNEL, ALTERNATE -> space && others ? usual : new Assigned(mode, true);
          };
        });
  }

  private static Mode mode(String pattern, String word) {
    for (Mode mode : Mode.values()) {
      if (mode.word().equals(word)) {
        return mode;
      }
    }
    throw new UsageException(
        "layers: {%s: %s}: expected whole, data, spatial, filter, channel, alternate or follow"
            .formatted(pattern, word));
  }
}
