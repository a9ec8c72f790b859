package dev.tandem.sync.agent;

import dev.tandem.sync.plan.BucketPlanner;
import dev.tandem.sync.plan.FusionPlan;
import dev.tandem.sync.plan.RequestGraph;
import dev.tandem.sync.plan.TopologyPlanner;
import dev.tandem.sync.policy.Policy;
import java.util.List;
import java.util.Optional;

/**
 * Makes plans that all ranks follow: each plans by itself, and the plans count if all have the same
 * hash. Also what following a plan needs.
 *
 * @param memory where this rank's gradients lie, if they lie in one buffer
 */
record PlanAgreement(
    Policy policy,
    Policy.Leaving leaving,
    RequestQueue queue,
    ControlPlane control,
    Transfers transfers,
    SyncObserver observer,
    Optional<GradientMemory> memory) {

  int stableSteps() {
    return leaving.stableSteps();
  }

  /**
   * A plan from the proposed graph of each rank, or from what rank 0 has recorded. All ranks call
   * it at the same time; empty if they do not agree.
   */
  Optional<FusionPlan> agree(boolean proposed) {
    Optional<FusionPlan> plan = proposed ? fromProposal() : fromRecording();
    long hash = plan.map(this::hash).orElse(0L);
    if (!control.same(hash) || plan.isEmpty()) {
      queue.planRefused();
      observer.remark("ranks do not plan the same: tensors are negotiated");
      return Optional.empty();
    }
    observer.remark("transfers are planned: " + plan.get());
    return plan;
  }

  private Optional<FusionPlan> fromProposal() {
    return plan(queue.proposal().orElseThrow());
  }

  private Optional<FusionPlan> fromRecording() {
    byte[] mine = control.rank() == 0 ? Messages.encodeSteps(queue.lastStep()) : new byte[0];
    List<Recorder.Line> lines = Messages.steps(control.broadcast(mine));
    return queue.lastStepHas(lines) ? plan(Recorder.graph(lines)) : Optional.empty();
  }

  private Optional<FusionPlan> plan(RequestGraph graph) {
    try {
      FusionPlan plan =
          switch (policy) {
            case Policy.Topological topological ->
                new TopologyPlanner(topological.fusionBytes()).plan(graph);
            case Policy.Bucketed bucketed ->
                new BucketPlanner(bucketed.bucketBytes(), bucketed.firstBytes()).plan(graph);
            case Policy.Negotiated negotiated ->
                throw new IllegalStateException("a negotiating policy does not plan");
          };
      return plan.tensors() == 0 ? Optional.empty() : Optional.of(plan);
    } catch (IllegalArgumentException e) {
      // A cycle or a repeated name: this graph cannot be planned, on any rank.
      observer.remark(e.getMessage());
      return Optional.empty();
    }
  }

  private long hash(FusionPlan plan) {
    return FusionPlan.mix(plan.hash(), memory.map(gradients -> gradients.hash(plan)).orElse(0L));
  }
}
