package dev.tandem.sync.agent;

import dev.tandem.comm.Communicator;
import dev.tandem.sync.compress.Ledger;
import dev.tandem.sync.policy.Policy;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.sync.request.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The work of a background thread, piece by piece; for one thread at a time. All ranks have one,
 * with the same policy, over communicators that belong to them alone.
 */
public final class SyncAgent {

  private final Intake intake;
  private final Lanes transfers;
  private Optional<Mode> mode;

  /**
   * An agent that begins with negotiation.
   *
   * @param groups of all ranks: one for what they agree on, which also transfers if it is the only
   *     one, else one more for each transfer at once
   * @param alarm rung when the program waits
   * @param memory where this rank's gradients lie, if they lie in one buffer
   * @param ledger told what transfers leave behind
   */
  public SyncAgent(
      List<Communicator> groups,
      SyncOptions options,
      Intake intake,
      CycleAlarm alarm,
      SyncObserver observer,
      Optional<GradientMemory> memory,
      Ledger ledger) {
    this.intake = intake;
    Policy policy = options.policy();
    Policy.Negotiated negotiated = negotiated(policy);
    ControlPlane control = new ControlPlane(groups.getFirst(), negotiated.waiting(), observer);
    List<Communicator> over = groups.size() == 1 ? groups : groups.subList(1, groups.size());
    List<Transfers> each = new ArrayList<>();
    over.forEach(group -> each.add(new Transfers(each.size(), group, intake, observer, ledger)));
    this.transfers = new Lanes(intake, each, options.threading().builder());
    Optional<PlanAgreement> planning =
        leaving(policy)
            .map(
                leaving ->
                    new PlanAgreement(
                        policy, leaving, intake, control, transfers, observer, memory));
    this.mode =
        Optional.of(
            new Negotiation(negotiated, intake, control, transfers, alarm, observer, planning));
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
    try {
      Mode current = mode.orElseThrow();
      if (current.awaitWork()) {
        mode = current.work();
      }
    } catch (RuntimeException e) {
      mode = Optional.empty();
      intake.close(new Outcome.Failed(e));
    }
    if (mode.isEmpty()) {
      transfers.close();
    }
    return mode.isPresent();
  }

  /**
   * Lets the calling thread, which has nothing to do but to wait for results, do the work that is
   * there for them, if the background thread sleeps and a plan says what comes next; see {@code
   * Note [who drives]} in the package's description. For any thread but the background's.
   *
   * @param results whether they are there
   */
  public void carryOut(BooleanSupplier results) {
    if (Thread.currentThread().isInterrupted()) {
      // A transport must not be interrupted.
      intake.declineHelm();
      return;
    }
    if (!intake.lendHelm()) {
      return;
    }
    try {
      boolean more = true;
      while (more && !results.getAsBoolean() && intake.workIsThere()) {
        more = doWork();
      }
    } finally {
      intake.handBackHelm();
    }
  }
}
