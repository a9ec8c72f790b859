package dev.tandem.parallel.mesh;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Ranks in a grid with named axes, the slowest first: rank 0 has coordinate 0 on all axes, the next
 * one coordinate 1 on the last axis.
 */
public record Mesh(List<Axis> axes) {

  /** The axis whose ranks have other layers. */
  public static final String PIPELINE = "pipeline";

  /** The axis whose ranks have other samples. */
  public static final String DATA = "data";

  /** One direction of the grid. */
  public record Axis(String name, int size) {

    public Axis {
      if (size < 1) {
        throw new IllegalArgumentException("axis %s of %d ranks".formatted(name, size));
      }
    }
  }

  public Mesh {
    axes = List.copyOf(axes);
    Set<String> names = new HashSet<>();
    for (Axis axis : axes) {
      if (!names.add(axis.name)) {
        throw new IllegalArgumentException("two axes " + axis.name);
      }
    }
  }

  /** Number of ranks. */
  public int size() {
    int size = 1;
    for (Axis axis : axes) {
      size = Math.multiplyExact(size, axis.size);
    }
    return size;
  }

  /** The ranks along an axis; 1 if there is none of this name. */
  public int size(String axis) {
    for (Axis each : axes) {
      if (each.name.equals(axis)) {
        return each.size;
      }
    }
    return 1;
  }

  /** The axes along which tensors may be split: all but pipeline and data. */
  public List<Axis> inner() {
    return axes.stream()
        .filter(axis -> !axis.name.equals(PIPELINE) && !axis.name.equals(DATA))
        .toList();
  }

  /** Where a rank is along an axis; 0 if there is none of this name. */
  public int coordinate(int rank, String axis) {
    int below = size();
    for (Axis each : axes) {
      below /= each.size;
      if (each.name.equals(axis)) {
        return rank / below % each.size;
      }
    }
    return 0;
  }

  /**
   * The ranks that differ from one along these axes only, itself included, ascending; their places
   * in this list are row-major coordinates along the axes in the mesh's order.
   */
  public List<Integer> group(int rank, Set<String> along) {
    // The ranks found so far; each further axis, the slowest first, multiplies them by its size.
    int[] group = {0};
    int below = size();
    for (Axis axis : axes) {
      below /= axis.size;
      boolean all = along.contains(axis.name);
      int first = all ? 0 : rank / below % axis.size;
      int count = all ? axis.size : 1;
      int[] wider = new int[group.length * count];
      for (int place = 0; place < wider.length; place++) {
        wider[place] = group[place / count] + (first + place % count) * below;
      }
      group = wider;
    }
    return Arrays.stream(group).boxed().toList();
  }

  /** Names of the axes, in their order, out of these. */
  public List<String> sorted(Set<String> names) {
    return axes.stream().map(Axis::name).filter(names::contains).toList();
  }

  /** As a user writes it: {@code data=2,filter=2}. */
  @Override
  public String toString() {
    return String.join(
        ",", axes.stream().map(axis -> axis.name + "=" + axis.size).toArray(String[]::new));
  }

  /** A mesh of these axes, without those of size 1. */
  public static Mesh of(Axis... axes) {
    return new Mesh(Arrays.stream(axes).filter(axis -> axis.size > 1).toList());
  }
}
