package dev.tandem.sync.agent;

import dev.tandem.sync.plan.FusionPlan;
import dev.tandem.sync.policy.Policy;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The plan that requests go into, if there is one, and which of its buffers the agent awaits.
 *
 * <p>Guarded by the lock of the {@link RequestQueue}.
 */
final class FollowedPlan {

  /**
   * Between the last gradient and the end of a step: what a backward pass tidies up, such as the
   * memory of all activations.
   */
  private static final long GRACE_NANOS = 5_000_000;

  /** Between two gradients of a step whose transfers are left to the program. */
  private static final long PAUSE_NANOS = 1_000_000_000;

  /** The longest sleep of a background thread that leaves transfers to the program. */
  private static final long NAP_NANOS = 200_000_000;

  /** For a sleep that ends only by being woken. */
  static final long FOREVER = Long.MAX_VALUE;

  private final boolean deferring;
  private Optional<PlanSlots> slots = Optional.empty();
  private int awaited;
  private long lastArrivalNanos;
  private boolean stepEnded;
  // Whether the last step ended soon after its last request.
  private boolean prompt;
  // Whether the program has begun to wait since the last request.
  private boolean programWaits;

  /**
   * No plan yet.
   *
   * @param deferring whether all transfers of a step are left to a program that waits for them
   */
  FollowedPlan(boolean deferring) {
    this.deferring = deferring;
  }

  void enter(FusionPlan plan) {
    slots = Optional.of(new PlanSlots(plan));
    awaited = 0;
    lastArrivalNanos = System.nanoTime();
  }

  /** There is no plan any more; gives what was in its places. */
  List<PendingRequest> leave() {
    List<PendingRequest> entries = places().takeAll();
    slots = Optional.empty();
    return entries;
  }

  void close() {
    slots = Optional.empty();
  }

  /** Whether there is a plan. */
  boolean active() {
    return slots.isPresent();
  }

  /**
   * The program waits: until the next request nothing is left to it.
   *
   * @return whether the awaited buffer is complete
   */
  boolean programWaits() {
    programWaits = true;
    return slots.isPresent() && awaitedIsComplete();
  }

  /** Whether the background thread has something to do or to look after. */
  boolean busy() {
    return slots.isEmpty() || any();
  }

  /** Puts a request into its place, if it has one. */
  boolean put(PendingRequest entry) {
    return slots.isPresent() && slots.get().put(entry);
  }

  boolean awaitedIsComplete() {
    return places().complete(awaited);
  }

  /** Requests were made. */
  void arrived(long nanos) {
    lastArrivalNanos = nanos;
    stepEnded = false;
    programWaits = false;
  }

  /**
   * The step has no more requests; says whether the agent must know.
   *
   * @param nanos since the program could go on after its last request
   */
  boolean endStep(long nanos) {
    boolean wasPrompt = prompt;
    stepEnded = true;
    prompt = nanos < GRACE_NANOS;
    // A background thread that is left asleep from now on must look now and then by itself; else it
    // need not know, unless the plan expects more.
    return slots.isEmpty() || (prompt && !wasPrompt) || (slots.get().any() && !awaitedIsComplete());
  }

  /** Whether a request is there that may have to wait for others of its buffer. */
  boolean any() {
    return places().any();
  }

  /**
   * How long the background thread may still wait: for the awaited buffer to become complete, or,
   * if it is, for the program to transfer it itself.
   */
  long nanosLeft(Policy.Leaving leaving) {
    long nanos;
    if (awaitedIsComplete()) {
      nanos = expectsProgram() ? (places().lastComplete() ? GRACE_NANOS : PAUSE_NANOS) : 0;
    } else {
      nanos = (stepEnded ? leaving.patienceAtStepEnd() : leaving.patience()).toNanos();
    }
    return lastArrivalNanos + nanos - System.nanoTime();
  }

  /** How long the background thread may sleep if nothing wakes it. */
  long sleepNanos(Policy.Leaving leaving) {
    long most = prompt ? NAP_NANOS : FOREVER;
    return any() ? Math.min(most, nanosLeft(leaving)) : most;
  }

  /**
   * Whether the program is going to carry out the awaited transfer itself: it is the last of a step
   * or one that may as well come then, and the program waited for those of the step before at once.
   * What a program may wait for in the middle of a step is not left to it.
   */
  boolean expectsProgram() {
    return prompt
        && !programWaits
        && slots.isPresent()
        && awaitedIsComplete()
        && (deferring || places().last(awaited))
        && !places().anyUrgent();
  }

  /** When the last request of the awaited buffer was made, if it is complete. */
  OptionalLong readyNanos() {
    return slots.isPresent() && awaitedIsComplete()
        ? OptionalLong.of(places().readyNanos(awaited))
        : OptionalLong.empty();
  }

  /** The requests of the awaited buffer, which is complete; the next one is awaited then. */
  List<PendingRequest> take(int buffer) {
    awaited = places().next(buffer);
    return places().take(buffer);
  }

  private PlanSlots places() {
    return slots.orElseThrow();
  }
}
