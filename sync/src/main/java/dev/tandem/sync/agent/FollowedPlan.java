package dev.tandem.sync.agent;

import dev.tandem.sync.plan.FusionPlan;
import dev.tandem.sync.policy.Policy;
import java.util.List;
import java.util.Optional;

/**
 * The plan that requests go into, if there is one, and which of its buffers the agent awaits.
 *
 * <p>Guarded by the lock of the {@link Intake}.
 */
final class FollowedPlan {

  private Optional<PlanSlots> slots = Optional.empty();
  private int awaited;
  private long lastArrivalNanos;
  private boolean stepEnded;

  void enter(FusionPlan plan) {
    slots = Optional.of(new PlanSlots(plan));
    awaited = 0;
    lastArrivalNanos = System.nanoTime();
  }

  /** There is no plan any more; gives what was in its places. */
  List<Entry> leave() {
    List<Entry> entries = places().takeAll();
    slots = Optional.empty();
    return entries;
  }

  void close() {
    slots = Optional.empty();
  }

  /** Puts a request into its place, if it has one. */
  boolean put(Entry entry) {
    return slots.isPresent() && slots.get().put(entry);
  }

  boolean awaitedIsComplete() {
    return places().complete(awaited);
  }

  /** Requests were made. */
  void arrived(long nanos) {
    lastArrivalNanos = nanos;
    stepEnded = false;
  }

  /** The step has no more requests; says whether the agent must know. */
  boolean endStep() {
    stepEnded = true;
    // Who follows a plan need not know, unless the plan expects more.
    return slots.isEmpty() || (slots.get().any() && !awaitedIsComplete());
  }

  void await(int buffer) {
    awaited = buffer;
  }

  /** Whether a request is there that may have to wait for others of its buffer. */
  boolean any() {
    return places().any();
  }

  /** How long the awaited buffer may still take to become complete. */
  long nanosLeft(Policy.Leaving leaving) {
    long patience = (stepEnded ? leaving.patienceAtStepEnd() : leaving.patience()).toNanos();
    return lastArrivalNanos + patience - System.nanoTime();
  }

  long readyNanos(int buffer) {
    return places().readyNanos(buffer);
  }

  List<Entry> take(int buffer) {
    return places().take(buffer);
  }

  private PlanSlots places() {
    return slots.orElseThrow();
  }
}
