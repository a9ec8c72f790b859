package dev.tandem.parallel;

import dev.tandem.parallel.mesh.Distribution;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Way;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A part of the way of a tensor from one distribution to another: the axes that one exchange
 * serves.
 *
 * @param to in which the tensor is after it, along these axes
 * @param sums whether the gradients that come back are summands along them
 */
record Change(Set<String> axes, Distribution to, boolean sums) {

  /** Axes that one exchange can serve. */
  private record Kind(Class<? extends Way> from, Class<? extends Way> to, boolean sums) {}

  Change {
    axes = Set.copyOf(axes);
  }

  /**
   * The changes one after the other.
   *
   * @param sums axes along which gradients are summands
   */
  static List<Change> between(Mesh mesh, Distribution from, Distribution to, Set<String> sums) {
    List<Change> changes = new ArrayList<>();
    Set<String> samples = axes(mesh, axis -> isSamples(from, axis) || isSamples(to, axis));
    boolean together =
        samples.size() > 1
            && samples.stream().anyMatch(axis -> !from.way(axis).equals(to.way(axis)));
    if (together) {
      changes.addAll(samples(samples, from, to, sums));
    }
    Map<Kind, Set<String>> groups = new LinkedHashMap<>();
    for (Mesh.Axis each : mesh.inner()) {
      String axis = each.name();
      boolean summed = sums.contains(axis);
      boolean done = together && samples.contains(axis);
      if (!done && (summed || !from.way(axis).equals(to.way(axis)))) {
        Kind kind = new Kind(from.way(axis).getClass(), to.way(axis).getClass(), summed);
        groups.computeIfAbsent(kind, _ -> new HashSet<>()).add(axis);
      }
    }
    List<Kind> order = new ArrayList<>(groups.keySet());
    if (meets(mesh, from, to)) {
      order.sort(Comparator.comparingInt(Change::turn));
    }
    order.forEach(kind -> changes.add(new Change(groups.get(kind), to, kind.sums())));
    return changes;
  }

  /**
   * Which samples a rank has depends on all axes that divide them: these change together. Sums are
   * resolved before, and gradients that are summands along some of the axes alone are summed after.
   */
  private static List<Change> samples(
      Set<String> axes, Distribution from, Distribution to, Set<String> sums) {
    List<Change> changes = new ArrayList<>();
    Set<String> open = new HashSet<>(axes);
    open.removeIf(axis -> !(from.way(axis) instanceof Way.Sum));
    if (!open.isEmpty()) {
      Distribution whole = to;
      for (String axis : open) {
        whole = whole.with(axis, Way.WHOLE);
      }
      changes.add(new Change(open, whole, false));
    }
    Set<String> summed = new HashSet<>(axes);
    summed.retainAll(sums);
    boolean others =
        axes.stream().anyMatch(axis -> !sums.contains(axis) && to.way(axis) instanceof Way.Whole);
    changes.add(new Change(axes, to, !summed.isEmpty() && !others));
    if (!summed.isEmpty() && others) {
      changes.add(new Change(summed, to, true));
    }
    return changes;
  }

  /** Whether one axis begins to split a dimension that another one still splits. */
  private static boolean meets(Mesh mesh, Distribution from, Distribution to) {
    for (Mesh.Axis one : mesh.inner()) {
      for (Mesh.Axis other : mesh.inner()) {
        if (!one.equals(other)
            && to.way(one.name()) instanceof Way.Split begun
            && from.way(other.name()) instanceof Way.Split ended
            && begun.dimension() == ended.dimension()) {
          return true;
        }
      }
    }
    return false;
  }

  /** Splits end before others begin. */
  private static int turn(Kind kind) {
    if (kind.to != Way.Split.class) {
      return 0;
    }
    return kind.from == Way.Split.class ? 1 : 2;
  }

  private static boolean isSamples(Distribution distribution, String axis) {
    return distribution.way(axis) instanceof Way.Samples;
  }

  private static Set<String> axes(Mesh mesh, Predicate<String> which) {
    Set<String> axes = new HashSet<>();
    mesh.inner().stream().map(Mesh.Axis::name).filter(which).forEach(axes::add);
    return axes;
  }
}
