package dev.tandem.tune.task;

import dev.tandem.core.UsageException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

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

  /** Whether these nodes, with nothing else on them, have room for all ranks at once. */
  public boolean fit(List<Node> nodes) {
    long room = 0;
    for (Node node : nodes) {
      if (node.canHold(this)) {
        room += ranksOn(node);
      }
    }
    return room >= ranks;
  }

  /** How many ranks have room on a node; no more than there are. */
  private long ranksOn(Node node) {
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
    return most;
  }

  /**
   * Refuses what these nodes could never hold, before anything starts.
   *
   * @throws UsageException if waiting for room would be waiting for ever
   */
  public void requireRoom(List<Node> nodes) {
    if (fit(nodes)) {
      return;
    }
    String there =
        nodes.stream()
            .map(
                node ->
                    "%s: %d cores, %d gpus, %.1f GiB"
                        .formatted(
                            node.name(), node.cores(), node.gpus(), node.memoryBytes() / 0x1p30))
            .limit(8)
            .collect(Collectors.joining("; "));
    throw new UsageException(
        "needs are %s, which never fit (%s)".formatted(this, there.isEmpty() ? "no nodes" : there));
  }

  /**
   * What is missing of what these needs take in all, in words.
   *
   * @param freeCores how many are free, and so on
   */
  public Optional<String> missing(long freeCores, long freeGpus, long freeMemory) {
    if ((long) cores * ranks > freeCores) {
      return Optional.of(missing(cores * ranks, "core", freeCores));
    }
    if ((long) gpus * ranks > freeGpus) {
      return Optional.of(missing(gpus * ranks, "gpu", freeGpus));
    }
    return memoryBytes * ranks > freeMemory
        ? Optional.of(
            "%.1f GiB of memory; %.1f are free"
                .formatted(memoryBytes * ranks / 0x1p30, freeMemory / 0x1p30))
        : Optional.empty();
  }

  private static String missing(int wanted, String what, long free) {
    return "%d %s%s; %d %s free"
        .formatted(wanted, what, wanted == 1 ? "" : "s", free, free == 1 ? "is" : "are");
  }

  @Override
  public String toString() {
    return (ranks == 1 ? "" : ranks + " ranks of ")
        + "%d cores, %d gpus".formatted(cores, gpus)
        + (memoryBytes == 0 ? "" : ", %.1f GiB".formatted(memoryBytes / 0x1p30));
  }
}
