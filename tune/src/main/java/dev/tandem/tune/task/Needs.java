package dev.tandem.tune.task;

import dev.tandem.core.UsageException;
import java.util.Comparator;
import java.util.List;

/**
 * What a task takes while it runs; for each of its ranks.
 *
 * @param ranks processes that run together and talk to each other; more than one are a gang, which
 *     starts when there is room for all
 * @param cores processors of its own; with 0 it runs wherever there is time
 * @param gpus graphics processors of its own
 * @param memoryBytes 0 for whatever there is
 */
public record Needs(int ranks, int cores, int gpus, long memoryBytes) {

  /** One core. */
  public static final Needs ONE_CORE = new Needs(1, 1, 0, 0);

  public Needs {
    if (ranks < 1 || cores < 0 || gpus < 0 || memoryBytes < 0) {
      throw new UsageException(
          "needs are %d ranks, %d cores, %d gpus and %d bytes of memory; expected 1 rank or more and nothing negative"
              .formatted(ranks, cores, gpus, memoryBytes));
    }
  }

  /**
   * Refuses what these nodes could never hold, before anything starts.
   *
   * @throws UsageException if waiting for room would be waiting for ever
   */
  public void requireRoom(List<Node> nodes) {
    long room = 0;
    for (Node node : nodes) {
      if (!node.canHold(this)) {
        continue;
      }
      long most = ranks;
      if (cores > 0) {
        most = Math.min(most, node.cores() / cores);
      }
      if (gpus > 0) {
        most = Math.min(most, node.gpus() / gpus);
      }
      if (memoryBytes > 0) {
        most = Math.min(most, node.memoryBytes() / memoryBytes);
      }
      room += most;
    }
    if (room < ranks) {
      throw new UsageException(
          "needs are %s, more than any node has: the largest has %s"
              .formatted(
                  this,
                  nodes.stream()
                      .max(Comparator.comparingInt(Node::cores).thenComparingInt(Node::gpus))
                      .map(
                          node ->
                              "%d cores, %d gpus, %.1f GiB"
                                  .formatted(
                                      node.cores(), node.gpus(), node.memoryBytes() / 0x1p30))
                      .orElse("nothing")));
    }
  }

  @Override
  public String toString() {
    return (ranks == 1 ? "" : ranks + " ranks of ")
        + "%d cores, %d gpus".formatted(cores, gpus)
        + (memoryBytes == 0 ? "" : ", %.1f GiB".formatted(memoryBytes / 0x1p30));
  }
}
