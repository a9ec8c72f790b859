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

  /**
   * Between the last gradient and the end of a step: what a backward pass tidies up, such as the
   * memory of all activations.
   */
  private static final long GRACE_NANOS = 5_000_000;

  /** Between two gradients of a step whose transfers are left to the program. */
  private static final long PAUSE_NANOS = 1_000_000_000;

  private final boolean deferring;
  private Optional<PlanSlots> slots = Optional.empty();
  private int awaited;
  private long lastArrivalNanos;
  private boolean stepEnded;
  private boolean lending;
  // Whether the last step ended soon after its last request.
  private boolean prompt;
  // Whether the program has tried to borrow the helm since the last request, and could not.
  private boolean turnedAway;

  /**
   * No plan yet.
   *
   * @param deferring whether all transfers of a step are left to a program that waits for them
   */
  FollowedPlan(boolean deferring) {
    this.deferring = deferring;
  }

  void enter(FusionPlan plan, boolean mayLend) {
    slots = Optional.of(new PlanSlots(plan));
    awaited = 0;
    lending = mayLend;
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

  /** Whether another thread than the background's may go on, and can. */
  boolean lends() {
    return lending && slots.isPresent() && awaitedIsComplete();
  }

  /** Whether the background thread has something to do or to look after. */
  boolean busy() {
    return slots.isEmpty() || any();
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
    turnedAway = false;
  }

  /** Whether the last step ended soon after its last request. */
  boolean prompt() {
    return prompt;
  }

  /** Until the next request the program will not do any transfer itself. */
  void expectNobody() {
    turnedAway = true;
  }

  /**
   * The step has no more requests; says whether the agent must know.
   *
   * @param nanos since the program could go on behind its last request
   */
  boolean endStep(long nanos) {
    stepEnded = true;
    prompt = lending && nanos < GRACE_NANOS;
    // Who follows a plan need not know, unless the plan expects more.
    return slots.isEmpty() || (slots.get().any() && !awaitedIsComplete());
  }

  /** Whether a request is there that may have to wait for others of its buffer. */
  boolean any() {
    return places().any();
  }

  /**
   * How long the background thread may still wait: for the awaited buffer to become complete, or,
   * if it is, for the program to carry its transfer out itself. (Also when the step has ended:
   * between that and borrowing the helm the program must not be overtaken.)
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
    long most = prompt ? Helm.NAP_NANOS : Helm.FOREVER;
    return any() ? Math.min(most, nanosLeft(leaving)) : most;
  }

  /**
   * Whether the program is going to carry out the awaited transfer itself: it is the last of a step
   * or one that may as well come then, and the program waited for those of the step before at once.
   * A program that waits for something in the middle of a step may do so by other means than the
   * helm.
   */
  boolean expectsProgram() {
    return prompt
        && !turnedAway
        && slots.isPresent()
        && awaitedIsComplete()
        && (deferring || places().last(awaited))
        && !places().anyUrgent();
  }

  long readyNanos(int buffer) {
    return places().readyNanos(buffer);
  }

  /** The requests of the awaited buffer, which is complete; the next one is awaited then. */
  List<Entry> take(int buffer) {
    awaited = places().next(buffer);
    return places().take(buffer);
  }

  private PlanSlots places() {
    return slots.orElseThrow();
  }
}
