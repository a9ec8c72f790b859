package dev.tandem.sync.agent;

import java.util.ArrayList;
import java.util.List;

/**
 * Which responses travel as one: from the first on, those with equal parameters that still fit.
 * Others are skipped for the time being, as long as what was skipped and what was taken stays
 * within the threshold, so that order is changed only near by.
 */
final class Fusion {

  private Fusion() {}

  /** Groups of responses, in the order in which they are transferred. */
  static List<List<Response>> fuse(List<Response> responses, long thresholdBytes) {
    List<List<Response>> groups = new ArrayList<>();
    List<Response> rest = new ArrayList<>(responses);
    while (!rest.isEmpty()) {
      List<Response> group = new ArrayList<>();
      List<Response> left = new ArrayList<>();
      Response first = rest.getFirst();
      group.add(first);
      long taken = first.tensor().signature().bytes();
      long skipped = 0;
      for (Response next : rest.subList(1, rest.size())) {
        long bytes = next.tensor().signature().bytes();
        boolean looking = taken + skipped <= thresholdBytes;
        if (looking && first.fusesWith(next) && taken + bytes <= thresholdBytes) {
          group.add(next);
          taken += bytes;
        } else {
          left.add(next);
          skipped += bytes;
        }
      }
      groups.add(group);
      rest = left;
    }
    return groups;
  }
}
