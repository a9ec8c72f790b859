package dev.tandem.spark;

import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.RetryPolicy;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** What is left of a task's retries, and which hosts it has failed on. Thread-safe. */
final class Retries {

  /** A task that loses its node this often is what ends nodes. */
  private static final int LOSSES = 5;

  private final RetryPolicy policy;
  private final boolean gang;
  private final BooleanSupplier cancelled;
  private final UnaryOperator<String> hosts;
  private final Set<String> failedOn = new TreeSet<>();
  private int sameNode;
  private int otherNode;
  private int losses;

  /**
   * All of them.
   *
   * @param gang whether it has several ranks, which only the driver can start again, all of them
   * @param cancelled whether nothing is tried again any more
   * @param hosts the host of a node
   */
  Retries(
      RetryPolicy policy, boolean gang, BooleanSupplier cancelled, UnaryOperator<String> hosts) {
    this.policy = policy;
    this.gang = gang;
    this.cancelled = cancelled;
    this.hosts = hosts;
  }

  /** What is left for the node that runs the task next; on the others that node knows nothing. */
  synchronized RetryPolicy onNode() {
    int left = gang || otherNode > 0 ? 0 : Math.max(0, policy.sameNode() - sameNode);
    return new RetryPolicy(left, 0, policy.timeouts());
  }

  synchronized void usedSameNode() {
    sameNode++;
  }

  /** Whether the task is tried again, elsewhere if possible, after this outcome on this node. */
  synchronized boolean again(Outcome outcome, String node) {
    if (cancelled.getAsBoolean()) {
      return false;
    }
    boolean again =
        switch (outcome) {
          // Every node has the same limit, which is the task's.
          case Outcome.Failed failed -> !failed.lasting() && otherNode < elsewhere();
          case Outcome.TimedOut any -> policy.timeouts() && otherNode < elsewhere();
          case Outcome.Lost any -> losses < LOSSES;
          case Outcome.Completed any -> false;
          case Outcome.Stopped any -> false;
          case Outcome.Paused any -> false;
          case Outcome.Cancelled any -> false;
          case Outcome.Skipped any -> false;
        };
    if (again) {
      if (outcome instanceof Outcome.Lost) {
        losses++;
      } else {
        otherNode++;
      }
      if (!node.isEmpty()) {
        failedOn.add(hosts.apply(node));
      }
    }
    return again;
  }

  private int elsewhere() {
    return gang ? policy.sameNode() + policy.otherNode() : policy.otherNode();
  }

  /** Which of these hosts to prefer; none if it does not matter or no other is left. */
  synchronized Set<String> preferred(Set<String> all) {
    if (failedOn.isEmpty()) {
      return Set.of();
    }
    Set<String> others = new TreeSet<>(all);
    others.removeAll(failedOn);
    return others;
  }

  /** How the task ends: says so if it was to go elsewhere and there was nowhere else. */
  synchronized Outcome last(Outcome outcome, int hostsInAll) {
    return outcome instanceof Outcome.Failed(String reason, boolean lasting)
            && otherNode > 0
            && hostsInAll == 1
        ? new Outcome.Failed(reason + " (there is one node only to try it on)", lasting)
        : outcome;
  }
}
