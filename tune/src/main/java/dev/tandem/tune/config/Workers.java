package dev.tandem.tune.config;

import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Node;
import java.util.List;

/** How many trials run at the same time where nothing says so. */
final class Workers {

  private static final long MOST = 10_000;

  private Workers() {}

  /** As many as the nodes hold, and at least 1. */
  static int room(Needs needs, List<Node> nodes) {
    long room = 0;
    for (Node node : nodes) {
      long cores = Math.max(1, (long) needs.cores() * needs.ranks());
      long gpus = (long) needs.gpus() * needs.ranks();
      long here = node.cores() / cores;
      room += gpus == 0 ? here : Math.min(here, node.gpus() / gpus);
    }
    return (int) Math.max(1, Math.min(room, MOST));
  }
}
