package dev.tandem.oracle.projection;

import dev.tandem.comm.collective.CollectiveSettings;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.cost.PlanTraffic;
import dev.tandem.parallel.cost.PlanTraffic.Kind;
import dev.tandem.parallel.cost.PlannedGroups;
import dev.tandem.parallel.exchange.NoTransfer;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.stage.StageCuts;
import java.util.Comparator;
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
    int perStage = mesh.size() / stages;
    int middle = Projector.middle(new Mesh(mesh.inner()));
    return IntStream.range(0, stages)
        .boxed()
        .flatMap(
            stage ->
                IntStream.of(0, middle)
                    .distinct()
                    .mapToObj(own -> of(stage, stage * perStage + own)))
        .max(Comparator.comparingLong(traffic -> traffic.total().bytesSent()))
        .orElseThrow();
  }

  private PlanTraffic of(int stage, int rank) {
    Workload workload = projector.workload();
    PlannedGroups groups =
        new PlannedGroups(
            mesh, rank, hosts, !projector.environment().asynchronous(), CollectiveSettings.DEFAULT);
    LocalNetwork network =
        LocalPlan.of(workload.network(), candidate.strategy(), groups, workload.frozen()).network();
    long samples = Math.ceilDiv(workload.batch(), mesh.size(Mesh.DATA));
    PlanTraffic traffic =
        PlanTraffic.of(
            stage(network, stage),
            groups,
            MemoryCount.step(workload, candidate, samples, candidate.passes(samples)));
    return workload.inference()
        ? new PlanTraffic(
            traffic.items().stream().filter(item -> item.kind() == Kind.FORWARD).toList())
        : traffic;
  }

  private LocalNetwork stage(LocalNetwork network, int stage) {
    int stages = mesh.size(Mesh.PIPELINE);
    if (stages == 1) {
      return network;
    }
    StageCuts cuts = new StageCuts(network, projector.workload().frozen());
    return cuts.stage(
        cuts.begins(projector.cuts(candidate), stages),
        stage,
        stage == 0 ? Optional.empty() : Optional.of(new NoTransfer(2, 1)),
        stage == stages - 1 ? Optional.empty() : Optional.of(new NoTransfer(2, 0)));
  }
}
