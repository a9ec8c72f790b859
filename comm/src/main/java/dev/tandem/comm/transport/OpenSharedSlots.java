package dev.tandem.comm.transport;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The shared slots of one rank that are open, so that a loss can wake the threads that sleep at
 * them.
 */
final class OpenSharedSlots {

  private final Set<SharedSlots> open = ConcurrentHashMap.newKeySet();

  SharedSlots add(SharedSlots slots) {
    open.add(slots);
    return slots;
  }

  void remove(SharedSlots slots) {
    open.remove(slots);
  }

  void nudgeAll() {
    open.forEach(SharedSlots::nudge);
  }
}
