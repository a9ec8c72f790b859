package dev.tandem.oracle.collective;

/**
 * The ranks of a collective.
 *
 * @param ranks that take part
 * @param stride distance from one to the next in the numbering of all ranks, neighbours of which
 *     share a node
 * @param flows groups that do the same at the same time and share links: all groups of the mesh
 *     along these axes that have a rank on the same node
 */
public record Group(int ranks, int stride, int flows) {

  public Group {
    if (ranks < 1 || stride < 1 || flows < 1) {
      throw new IllegalArgumentException(
          "ranks %d, stride %d and flows %d must be at least 1".formatted(ranks, stride, flows));
    }
  }

  /** Devices from the first rank to the last. */
  public long span() {
    return (long) (ranks - 1) * stride + 1;
  }
}
