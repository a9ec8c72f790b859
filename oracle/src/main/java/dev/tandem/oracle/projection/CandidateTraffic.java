package dev.tandem.oracle.projection;

import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.cost.PlanTraffic;
import dev.tandem.parallel.cost.PlanTraffic.Kind;
import dev.tandem.parallel.cost.PlannedGroups;
import dev.tandem.parallel.exchange.NoTransfer;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.stage.StageCuts;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** The traffic of a candidate, by the plans of its ranks. */
final class CandidateTraffic {

  private final Projector projector;
  private final Candidate candidate;
  private final Mesh mesh;
  private final List<Integer> hosts;

  CandidateTraffic(Projector projector, Candidate candidate) {
    this.projector = projector;
    this.candidate = candidate;
    mesh = candidate.mesh();
    int perNode = projector.environment().devicesPerNode();
    int devices = projector.environment().devices();
    // More ranks than devices share them, and so their node.
    hosts =
        IntStream.range(0, mesh.size())
            .map(rank -> mesh.size() > devices ? 0 : rank / perNode)
            .boxed()
            .toList();
  }

  /** Of the first rank of each stage, and of one within its inner axes, the one that sends most. */
  PlanTraffic most() {
    int stages = mesh.size(Mesh.PIPELINE);
    List<String> cuts = stages == 1 ? List.of() : projector.cuts(candidate);
    PlanTraffic most = null;
    for (int own : IntStream.of(0, Projector.middle(new Mesh(mesh.inner()))).distinct().toArray()) {
      LocalPlan plan = projector.plan(candidate, own);
      for (int stage = 0; stage < stages; stage++) {
        PlanTraffic traffic = of(plan, own, stage, cuts);
        if (most == null || traffic.total().bytesSent() > most.total().bytesSent()) {
          most = traffic;
        }
      }
    }
    return most;
  }

  private PlanTraffic of(LocalPlan plan, int own, int stage, List<String> cuts) {
    Workload workload = projector.workload();
    PlannedGroups groups =
        plan.groups()
            .within(
                mesh,
                stage * (mesh.size() / mesh.size(Mesh.PIPELINE)) + own,
                hosts,
                !projector.environment().asynchronous());
    long samples = Math.ceilDiv(workload.batch(), mesh.size(Mesh.DATA));
    PlanTraffic traffic =
        PlanTraffic.of(
            cuts.isEmpty() ? plan.network() : stage(plan.cuts(), stage, cuts),
            groups,
            MemoryCount.step(workload, candidate, samples, candidate.passes(samples)));
    return workload.inference()
        ? new PlanTraffic(
            traffic.items().stream().filter(item -> item.kind() == Kind.FORWARD).toList())
        : traffic;
  }

  private LocalNetwork stage(StageCuts places, int stage, List<String> cuts) {
    int stages = mesh.size(Mesh.PIPELINE);
    return places.stage(
        places.begins(cuts, stages),
        stage,
        stage == 0 ? Optional.empty() : Optional.of(new NoTransfer(2, 1)),
        stage == stages - 1 ? Optional.empty() : Optional.of(new NoTransfer(2, 0)));
  }
}
