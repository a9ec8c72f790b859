package dev.tandem.oracle.projection;

import dev.tandem.oracle.collective.Group;
import dev.tandem.parallel.mesh.Mesh;
import java.util.List;
import java.util.Set;

/** The groups of ranks of a mesh along its axes, as far as collectives depend on them. */
final class MeshGroups {

  private final Mesh mesh;
  private final int devicesPerNode;
  private final boolean contention;

  MeshGroups(Mesh mesh, int devicesPerNode, boolean contention) {
    this.mesh = mesh;
    this.devicesPerNode = devicesPerNode;
    this.contention = contention;
  }

  /** The ranks that differ along these axes alone. */
  Group along(Set<String> axes) {
    int ranks = 1;
    int stride = 0;
    int below = 1;
    List<Mesh.Axis> order = mesh.axes().reversed();
    for (Mesh.Axis axis : order) {
      if (axes.contains(axis.name()) && axis.size() > 1) {
        ranks *= axis.size();
        stride = stride == 0 ? below : stride;
      }
      below *= axis.size();
    }
    return of(ranks, Math.max(1, stride));
  }

  /** Neighbouring stages, which talk in pairs. */
  Group stages() {
    int stages = mesh.size(Mesh.PIPELINE);
    int stride = Math.max(1, mesh.size() / stages);
    // Where there are several nodes, some pair lies on two of them.
    return of(
        Math.min(2, stages),
        mesh.size() > devicesPerNode ? Math.max(stride, devicesPerNode) : stride);
  }

  /**
   * Neighbouring stages on nodes that are near each other, however many ranks have other samples.
   */
  Group neighbours() {
    int stride = Math.max(1, mesh.size() / mesh.size(Mesh.PIPELINE));
    return of(2, mesh.size() > devicesPerNode ? devicesPerNode : stride);
  }

  /** Ranks of the mesh on a node. */
  int onNode() {
    return Math.min(devicesPerNode, mesh.size());
  }

  private Group of(int ranks, int stride) {
    int onNode = onNode();
    int members = Math.clamp(onNode / stride, 1, ranks);
    return new Group(ranks, stride, contention ? Math.max(1, onNode / members) : 1);
  }
}
