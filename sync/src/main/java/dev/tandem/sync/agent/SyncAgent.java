package dev.tandem.sync.agent;

import dev.tandem.comm.Communicator;
import dev.tandem.sync.compress.Ledger;
import dev.tandem.sync.policy.Policy;
import dev.tandem.sync.request.Outcome;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The work of a background thread, piece by piece. All ranks have one, with the same policy, over a
 * communicator that belongs to it alone.
 */
public final class SyncAgent {

  private final RequestQueue queue;
  // Held by the thread that works.
  private final ReentrantLock working = new ReentrantLock();
  private volatile Optional<Mode> mode;

  /**
   * An agent that begins with negotiation.
   *
   * @param group of all ranks, for what they agree on and transfer
   * @param sleep ended by a program that waits
   * @param memory where this rank's gradients lie, if they lie in one buffer
   * @param ledger receives the residuals and bytes of transfers
   */
  public SyncAgent(
      Communicator group,
      Policy policy,
      RequestQueue queue,
      CycleSleep sleep,
      SyncObserver observer,
      Optional<GradientMemory> memory,
      Ledger ledger) {
    this.queue = queue;
    Policy.Negotiated negotiated = negotiated(policy);
    ControlPlane control = new ControlPlane(group, negotiated.waiting(), observer);
    Transfers transfers = new Transfers(group, queue, observer, ledger);
    Optional<PlanAgreement> planning =
        leaving(policy)
            .map(
                leaving ->
                    new PlanAgreement(
                        policy, leaving, queue, control, transfers, observer, memory));
    this.mode =
        Optional.of(
            new Negotiation(negotiated, queue, control, transfers, sleep, observer, planning));
  }

  /** How ranks negotiate under a policy, if only in need. */
  public static Policy.Negotiated negotiated(Policy policy) {
    return switch (policy) {
      case Policy.Negotiated negotiated -> negotiated;
      case Policy.Topological topological -> topological.leaving().fallback();
      case Policy.Bucketed bucketed -> bucketed.leaving().fallback();
    };
  }

  private static Optional<Policy.Leaving> leaving(Policy policy) {
    return switch (policy) {
      case Policy.Negotiated negotiated -> Optional.empty();
      case Policy.Topological topological -> Optional.of(topological.leaving());
      case Policy.Bucketed bucketed -> Optional.of(bucketed.leaving());
    };
  }

  /**
   * Does one piece of work together with the other ranks; may sleep until there is some. For the
   * background thread.
   *
   * @return whether there will be more
   */
  public boolean doWork() {
    Optional<Mode> awaited = mode;
    try {
      awaited.ifPresent(Mode::awaitWork);
    } catch (RuntimeException e) {
      fail(e);
    }
    working.lock();
    try {
      // Else a thread that waits for results has gone on meanwhile.
      if (mode.equals(awaited)) {
        proceed();
      }
      return mode.isPresent();
    } finally {
      working.unlock();
    }
  }

  private void proceed() {
    try {
      mode = mode.flatMap(Mode::work);
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  private void fail(RuntimeException e) {
    mode = Optional.empty();
    queue.close(new Outcome.Failed(e));
  }

  /**
   * Lets the calling thread, which has nothing to do but to wait for results, do the transfers that
   * are complete, unless the background thread works; see {@code Note [which thread works]} in the
   * package's description. For any thread but the background's.
   *
   * @param results whether they are there
   */
  public void carryOut(BooleanSupplier results) {
    if (!queue.programWaits()) {
      return;
    }
    // A transport must not be interrupted.
    if (!Thread.currentThread().isInterrupted()) {
      if (!working.tryLock()) {
        return;
      }
      try {
        while (mode.isPresent() && !results.getAsBoolean() && queue.programWaits()) {
          proceed();
        }
      } finally {
        working.unlock();
      }
    }
    queue.programLeaves();
  }
}
