package dev.tandem.sync.agent;

import dev.tandem.sync.plan.FusionPlan;
import dev.tandem.sync.request.Request;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The requests of a step in the places that a plan has for them. A place is free again once its
 * buffer was taken; since a name is never pending twice, no request of the next step comes before.
 *
 * <p>Guarded by the lock of the {@link RequestQueue}.
 */
final class PlanSlots {

  private final PendingRequest[][] slots;
  private final int[] missing;
  private final FusionPlan plan;
  private int present;
  // Of these, requests that the program may wait for before it makes others.
  private int urgent;

  PlanSlots(FusionPlan plan) {
    this.plan = plan;
    int buffers = plan.buffers().size();
    slots = new PendingRequest[buffers][];
    missing = new int[buffers];
    for (int buffer = 0; buffer < buffers; buffer++) {
      int size = plan.buffers().get(buffer).size();
      slots[buffer] = new PendingRequest[size];
      missing[buffer] = size;
    }
  }

  /** Puts a request into its place; says no if the plan has none for it. */
  boolean put(PendingRequest entry) {
    FusionPlan.Place place = plan.place(entry.name()).orElse(null);
    if (place == null || !place.tensor().signature().equals(entry.signature())) {
      return false;
    }
    slots[place.buffer()][place.slot()] = entry;
    missing[place.buffer()]--;
    present++;
    urgent += urgent(entry);
    return true;
  }

  private static int urgent(PendingRequest entry) {
    return entry.request().visibility() == Request.Visibility.AT_ONCE ? 1 : 0;
  }

  boolean complete(int buffer) {
    return missing[buffer] == 0;
  }

  /** Whether this buffer is the last of a step. */
  boolean last(int buffer) {
    return next(buffer) == 0;
  }

  /** The buffer that comes after this one. */
  int next(int buffer) {
    return (buffer + 1) % slots.length;
  }

  /** When the last request of a complete buffer was made. */
  long readyNanos(int buffer) {
    return Arrays.stream(slots[buffer]).mapToLong(PendingRequest::madeNanos).max().orElseThrow();
  }

  /** Whether the last buffer of a step is complete. */
  boolean lastComplete() {
    return complete(slots.length - 1);
  }

  /** Whether the program may wait for one of the requests before it makes others. */
  boolean anyUrgent() {
    return urgent > 0;
  }

  /** Whether any request is in its place. */
  boolean any() {
    return present > 0;
  }

  /** The requests of a complete buffer; its places are free then. */
  List<PendingRequest> take(int buffer) {
    List<PendingRequest> entries = List.of(slots[buffer]);
    Arrays.fill(slots[buffer], null);
    missing[buffer] = entries.size();
    present -= entries.size();
    entries.forEach(entry -> urgent -= urgent(entry));
    return entries;
  }

  /** Everything that is there, in the order of the plan. */
  List<PendingRequest> takeAll() {
    List<PendingRequest> entries = new ArrayList<>();
    for (PendingRequest[] buffer : slots) {
      for (PendingRequest entry : buffer) {
        if (entry != null) {
          entries.add(entry);
        }
      }
    }
    return entries;
  }
}
