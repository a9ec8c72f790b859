package dev.tandem.sync.agent;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a rank tells about itself.
 *
 * @param last whether it will tell no more
 * @param joined whether it has no more data, and so owes nothing
 * @param doing what its program does, as the end of a sentence
 * @param pendingSeconds what it waits for, by name, and for how long
 */
record StallStatus(boolean last, boolean joined, String doing, Map<String, Double> pendingSeconds) {

  static StallStatus of(
      boolean last,
      boolean joined,
      Optional<Thread> requester,
      Collection<PendingRequest> pending) {
    Map<String, Double> waiting = new LinkedHashMap<>();
    long now = System.nanoTime();
    pending.forEach(entry -> waiting.put(entry.name(), (now - entry.madeNanos()) / 1e9));
    return new StallStatus(last, joined, StackSummary.of(requester), waiting);
  }
}
