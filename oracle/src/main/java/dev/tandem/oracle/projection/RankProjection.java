package dev.tandem.oracle.projection;

import dev.tandem.core.DType;
import dev.tandem.oracle.collective.Group;
import dev.tandem.parallel.cost.PlanMemory;
import dev.tandem.parallel.cost.PlanTraffic.Operation;
import dev.tandem.parallel.mesh.Mesh;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How a candidate goes for one of its ranks, which stands for all that do the same. */
final class RankProjection {

  private final Workload workload;
  private final Environment environment;
  private final Set<Term> terms;
  private final Projector projector;

  private final Candidate candidate;
  private final Mesh mesh;
  private final LocalPlan plan;
  private final MeshGroups groups;
  private final long samples;
  private final int passes;
  private final double crowding;
  private final Map<Phase, Double> seconds = new EnumMap<>(Phase.class);

  RankProjection(Projector projector, Candidate candidate, LocalPlan plan) {
    this.projector = projector;
    workload = projector.workload();
    environment = projector.environment();
    terms = projector.terms();
    this.candidate = candidate;
    this.plan = plan;
    mesh = candidate.mesh();
    groups = new MeshGroups(mesh, environment.devicesPerNode(), terms.contains(Term.CONTENTION));
    samples = Math.ceilDiv(workload.batch(), mesh.size(Mesh.DATA));
    passes = candidate.passes(samples);
    crowding = environment.crowding(mesh.size());
  }

  private void add(Phase phase, double value) {
    seconds.merge(phase, value, Double::sum);
  }

  Projection projection() {
    PassTimes pass = projector.times(plan, Math.ceilDiv(samples, passes), groups.onNode(), groups);
    return mesh.size(Mesh.PIPELINE) == 1 ? whole(pass) : inStages(pass);
  }

  private Projection whole(PassTimes pass) {
    passes(pass, 0, plan.work().size(), passes);
    List<LocalPlan.Sum> sums = plan.sums();
    GradientTimes gradients =
        new GradientTimes(candidate, groups, environment, terms, plan, pass, crowding);
    if (!workload.inference()) {
      add(Phase.GRADIENTS, gradients.exposed(passes, 0, plan.work().size()));
      add(Phase.PARAMETERS, gradients.fetches(passes, false));
      if (workload.synchronised()) {
        add(Phase.STATISTICS, gradients.statistics(passes));
      }
      update(sums.stream().mapToLong(LocalPlan.Sum::bytes).sum(), plan.parameterTensors());
    }
    input(plan.network().input().local().elements());
    return finish(pass, memory(plan, 1), 1);
  }

  /** The passes of some layers. */
  private void passes(PassTimes pass, int begin, int end, double times) {
    for (int i = begin; i < end; i++) {
      add(Phase.FORWARD, times * crowding * pass.forward[i]);
      add(Phase.BACKWARD, times * crowding * pass.backward[i]);
      add(Phase.COPY, times * crowding * (pass.copyForward[i] + pass.copyBackward[i]));
      add(Phase.EXCHANGE, times * (pass.exchangeForward[i] + pass.exchangeBackward[i]));
      add(Phase.STATISTICS, times * pass.statistics[i]);
    }
    add(Phase.FORWARD, times * crowding * pass.perPass);
  }

  private Projection inStages(PassTimes pass) {
    int stages = mesh.size(Mesh.PIPELINE);
    StagedPlan cut = projector.staged(plan, stages, Math.ceilDiv(samples, passes), groups);
    Candidate.Stages how = candidate.stages().orElseThrow();
    double[] forward = new double[stages];
    double[] backward = new double[stages];
    double[] messages = new double[stages];
    long bytes = Math.ceilDiv(samples, passes) * workload.activations().bytes();
    int slowest = 0;
    for (int stage = 0; stage < stages; stage++) {
      int begin = cut.begin(stage);
      int end = cut.end(stage);
      forward[stage] = crowding * (pass.forwardSum(begin, end) + pass.perPass / stages);
      backward[stage] =
          workload.inference()
              ? 0
              : crowding * pass.backwardSum(begin, end) + (how.recompute() ? forward[stage] : 0);
      messages[stage] =
          stage == stages - 1
              ? 0
              : environment
                  .collectives()
                  .of(
                      Operation.SEND,
                      groups.stages(),
                      cut.elements(stage) * bytes,
                      cut.tensors(stage));
      if (forward[stage] + backward[stage] > forward[slowest] + backward[slowest]) {
        slowest = stage;
      }
    }
    passes(pass, cut.begin(slowest), cut.end(slowest), passes);
    if (how.recompute()) {
      add(Phase.BACKWARD, passes * forward[slowest]);
    }
    double busy = passes * (forward[slowest] + backward[slowest]);
    double all = PipelineTime.of(how.schedule(), forward, backward, messages, passes);
    // Ranks that share a device work while others wait.
    add(Phase.IDLE, Math.max(0, crowding > 1 ? 0 : all - busy));
    PlanMemory most = null;
    double summing = 0;
    double updating = 0;
    double fetching = 0;
    for (int stage = 0; stage < stages; stage++) {
      LocalPlan own = cut.stage(stage);
      GradientTimes gradients =
          new GradientTimes(candidate, groups, environment, terms, own, null, crowding);
      summing = Math.max(summing, gradients.total(passes));
      fetching = Math.max(fetching, gradients.fetches(passes, how.recompute()));
      updating = Math.max(updating, updateSeconds(own.parameterBytes(), own.parameterTensors()));
      int open = how.schedule().open(stage, stages, passes);
      PlanMemory memory = memory(own, open);
      most = most == null || memory.total() > most.total() ? memory : most;
    }
    if (!workload.inference()) {
      add(Phase.GRADIENTS, summing);
      add(Phase.PARAMETERS, fetching);
      add(Phase.UPDATE, updating);
    }
    input(plan.network().input().local().elements());
    return finish(pass, most, stages);
  }

  private void update(long bytes, int tensors) {
    add(Phase.UPDATE, updateSeconds(bytes, tensors));
  }

  private double updateSeconds(long bytes, int tensors) {
    if (!terms.contains(Term.UPDATE)) {
      return 0;
    }
    long rows = candidate.shard().isPresent() ? Math.ceilDiv(bytes, mesh.size(Mesh.DATA)) : bytes;
    return crowding * environment.layers().update(rows, tensors, workload.stateValues());
  }

  /** What the step waits for if samples come in one step ahead of it. */
  private void input(long elements) {
    if (!terms.contains(Term.INPUT)) {
      return;
    }
    double bytes = (double) elements * samples * DType.FLOAT32.bytes();
    Set<String> same = new HashSet<>();
    mesh.axes().stream()
        .map(Mesh.Axis::name)
        .filter(axis -> !axis.equals(Mesh.DATA))
        .forEach(same::add);
    Group readers = groups.along(same);
    double handed =
        readers.ranks() == 1
            ? 0
            : environment.collectives().of(Operation.EXCHANGE, readers, (long) bytes, 1);
    double staged = bytes / environment.stagingBytesPerSecond();
    double step = seconds.values().stream().mapToDouble(Double::doubleValue).sum();
    double whole = handed + staged;
    add(Phase.INPUT, environment.asynchronous() ? Math.max(0, whole - step) : whole);
  }

  private PlanMemory memory(LocalPlan of, int open) {
    int data = candidate.shard().isPresent() ? mesh.size(Mesh.DATA) : 1;
    return projector.memory(of, data, MemoryCount.step(workload, candidate, samples, passes), open);
  }

  private Projection finish(PassTimes pass, PlanMemory memory, int stages) {
    List<Projection.LayerSpan> layers = new ArrayList<>();
    for (int i = 0; i < plan.work().size(); i++) {
      double exchange =
          pass.copyForward[i]
              + pass.copyBackward[i]
              + pass.exchangeForward[i]
              + pass.exchangeBackward[i]
              + pass.statistics[i];
      layers.add(
          new Projection.LayerSpan(
              plan.work().get(i).layer().name(),
              passes * crowding * pass.forward[i],
              passes * crowding * pass.backward[i],
              passes * exchange));
    }
    double all = seconds.values().stream().mapToDouble(Double::doubleValue).sum();
    double computing = 0;
    for (int i = 0; i < pass.forward.length; i++) {
      computing += pass.forward[i] + pass.backward[i];
    }
    return new Projection(
        workload,
        candidate,
        seconds,
        memory,
        all == 0 ? 0 : pass.spread * passes * crowding / stages / all,
        layers,
        computing == 0 ? 0 : pass.estimated / computing,
        plan.network().notes());
  }
}
