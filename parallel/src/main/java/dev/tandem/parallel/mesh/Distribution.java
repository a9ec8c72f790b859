package dev.tandem.parallel.mesh;

import dev.tandem.core.Ranges;
import dev.tandem.core.Region;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.SampleShare;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What each rank has of a tensor: a way for each inner axis. No two axes split the same dimension.
 *
 * @param ways by axis, in the mesh's order, all inner axes
 */
public record Distribution(Map<String, Way> ways) {

  public Distribution {
    ways = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(ways));
  }

  /** All ranks have all of it. */
  public static Distribution whole(Mesh mesh) {
    Map<String, Way> ways = new LinkedHashMap<>();
    mesh.inner().forEach(axis -> ways.put(axis.name(), Way.WHOLE));
    return new Distribution(ways);
  }

  public Way way(String axis) {
    return ways.get(axis);
  }

  /** The same with another way along one axis. */
  public Distribution with(String axis, Way way) {
    Map<String, Way> changed = new LinkedHashMap<>(ways);
    changed.put(axis, way);
    return new Distribution(changed);
  }

  /** Whether another axis than this one splits the dimension. */
  public boolean splits(int dimension, String except) {
    return ways.entrySet().stream()
        .anyMatch(
            entry ->
                !entry.getKey().equals(except)
                    && entry.getValue() instanceof Way.Split split
                    && split.dimension() == dimension);
  }

  /** What a rank has of each sample of this shape. */
  public Region region(Shape shape, Mesh mesh, int rank) {
    List<Ranges> ranges = new ArrayList<>();
    shape.extents().forEach(extent -> ranges.add(Ranges.all(extent)));
    ways.forEach(
        (axis, way) -> {
          if (way instanceof Way.Split(int dimension, Cut cut)) {
            if (cut.whole() != shape.extents().get(dimension)) {
              throw new IllegalStateException(
                  "a cut of %d along %s in %s".formatted(cut.whole(), axis, shape));
            }
            ranges.set(dimension, cut.parts().get(mesh.coordinate(rank, axis)));
          }
        });
    return new Region(ranges);
  }

  /** Which of its group's samples a rank has. */
  public SampleShare samples(Mesh mesh, int rank) {
    int part = 0;
    int parts = 1;
    for (Map.Entry<String, Way> entry : ways.entrySet()) {
      if (entry.getValue() instanceof Way.Samples) {
        int size = mesh.size(entry.getKey());
        part = part * size + mesh.coordinate(rank, entry.getKey());
        parts *= size;
      }
    }
    return new SampleShare(part, parts);
  }
}
