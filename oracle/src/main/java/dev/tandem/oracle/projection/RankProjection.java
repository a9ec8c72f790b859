package dev.tandem.oracle.projection;

import dev.tandem.core.DType;
import dev.tandem.oracle.collective.Group;
import dev.tandem.parallel.cost.PlanMemory;
import dev.tandem.parallel.cost.PlanTraffic.Operation;
import dev.tandem.parallel.mesh.Mesh;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** How a candidate goes for one of its ranks, which stands for all that do the same. */
final class RankProjection {

  /** Stages that are looked at for the one that needs most memory. */
  private static final int LIKELY = 3;

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
  private final int layers;
  private final PassTimes pass;

  /** Null if there are no stages. */
  private final StagedPlan cut;

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
    layers = plan.work().size();
    pass = projector.times(plan, piece(), groups.onNode(), groups);
    int stages = mesh.size(Mesh.PIPELINE);
    cut = stages == 1 ? null : projector.staged(plan, stages, piece(), groups);
    if (cut == null) {
      whole();
    } else {
      inStages();
    }
    waiting();
    input(plan.network().input().local().elements());
  }

  /** Until the slowest of the ranks comes to where they meet. */
  private void waiting() {
    if (mesh.size() > 1 && !workload.inference() && terms.contains(Term.WAITING)) {
      double working = 0;
      for (Phase phase : List.of(Phase.FORWARD, Phase.BACKWARD, Phase.COPY)) {
        working += seconds.getOrDefault(phase, 0.0);
      }
      boolean inner = mesh.inner().stream().anyMatch(axis -> axis.size() > 1);
      add(
          cut != null ? Phase.IDLE : inner ? Phase.EXCHANGE : Phase.GRADIENTS,
          (inner ? environment.waitingAtExchanges() : environment.waiting()) * working);
    }
  }

  private void add(Phase phase, double value) {
    seconds.merge(phase, value, Double::sum);
  }

  /** Seconds of an iteration. */
  double iteration() {
    return seconds.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  private void whole() {
    passes(0, layers, passes);
    if (!workload.inference()) {
      GradientTimes gradients = gradients(0, layers, pass);
      add(Phase.GRADIENTS, gradients.exposed(passes));
      add(Phase.PARAMETERS, gradients.fetches(passes, false));
      if (workload.synchronised()) {
        add(Phase.STATISTICS, gradients.statistics(passes));
      }
      add(Phase.UPDATE, update(0, layers));
    }
  }

  private GradientTimes gradients(int begin, int end, PassTimes hiding) {
    return new GradientTimes(
        candidate, groups, environment, terms, plan, hiding, begin, end, crowding);
  }

  /** The passes of some layers. */
  private void passes(int begin, int end, double times) {
    add(Phase.FORWARD, times * crowding * (PassTimes.sum(pass.forward, begin, end) + pass.perPass));
    add(Phase.BACKWARD, times * crowding * PassTimes.sum(pass.backward, begin, end));
    double copies =
        PassTimes.sum(pass.copyForward, begin, end) + PassTimes.sum(pass.copyBackward, begin, end);
    add(Phase.COPY, times * crowding * copies);
    double exchanges =
        PassTimes.sum(pass.exchangeForward, begin, end)
            + PassTimes.sum(pass.exchangeBackward, begin, end);
    add(Phase.EXCHANGE, times * exchanges);
    add(Phase.STATISTICS, times * PassTimes.sum(pass.statistics, begin, end));
  }

  private void inStages() {
    Candidate.Stages how = candidate.stages().orElseThrow();
    StageRun run =
        projector.run(
            new StageRun.Key(
                cut,
                pass,
                piece(),
                passes,
                how,
                crowding,
                environment.collectives().typical(groups.stages())));
    passes(cut.begin(run.slowest()), cut.end(run.slowest()), passes);
    if (how.recompute()) {
      add(Phase.BACKWARD, passes * run.forwardOfSlowest());
    }
    // Ranks that share a device work while others wait.
    add(Phase.IDLE, Math.max(0, crowding > 1 ? 0 : run.all() - run.busy()));
    if (workload.inference()) {
      return;
    }
    double summing = 0;
    double updating = 0;
    double fetching = 0;
    for (int stage = 0; stage < cut.count(); stage++) {
      GradientTimes gradients = gradients(cut.begin(stage), cut.end(stage), null);
      summing = Math.max(summing, gradients.total(passes));
      fetching = Math.max(fetching, gradients.fetches(passes, how.recompute()));
      updating = Math.max(updating, update(cut.begin(stage), cut.end(stage)));
    }
    add(Phase.GRADIENTS, summing);
    add(Phase.PARAMETERS, fetching);
    add(Phase.UPDATE, updating);
  }

  /** Samples of a pass. */
  private long piece() {
    return Math.ceilDiv(samples, passes);
  }

  private double update(int begin, int end) {
    if (!terms.contains(Term.UPDATE)) {
      return 0;
    }
    long bytes = plan.parameterBytes(begin, end);
    long rows = candidate.shard().isPresent() ? Math.ceilDiv(bytes, mesh.size(Mesh.DATA)) : bytes;
    return crowding
        * environment
            .layers()
            .update(rows, plan.parameterTensors(begin, end), workload.stateValues());
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
    double whole = handed + staged;
    add(Phase.INPUT, environment.asynchronous() ? Math.max(0, whole - iteration()) : whole);
  }

  private PlanMemory memory(LocalPlan of, int open) {
    int data = candidate.shard().isPresent() ? mesh.size(Mesh.DATA) : 1;
    return projector.memory(of, data, MemoryCount.step(workload, candidate, samples, passes), open);
  }

  /** Bytes that the stage with most of them has at least: the mean of all stages. */
  double leastMemory() {
    return (double) memory(plan, 1).total() / (cut == null ? 1 : cut.count());
  }

  /** The memory of the stage that needs most. */
  private PlanMemory memory() {
    if (cut == null) {
      return memory(plan, 1);
    }
    PlanMemory most = null;
    for (int stage : largest()) {
      PlanMemory memory = memory(cut.stage(stage), open(stage));
      most = most == null || memory.total() > most.total() ? memory : most;
    }
    return most;
  }

  /** Passes whose activations a stage keeps at once. */
  private int open(int stage) {
    return candidate.stages().orElseThrow().schedule().open(stage, cut.count(), passes);
  }

  /** The stages that may need most memory, by what stays of their layers. */
  private List<Integer> largest() {
    Map<String, Long> activations = memory(plan, 1).activations();
    double[] about = new double[cut.count()];
    for (int stage = 0; stage < about.length; stage++) {
      long kept = 0;
      for (int layer = cut.begin(stage); layer < cut.end(stage); layer++) {
        kept += activations.getOrDefault(plan.work().get(layer).layer().name(), 0L);
      }
      long parameters = plan.parameterBytes(cut.begin(stage), cut.end(stage));
      about[stage] = (double) open(stage) * kept + (2.0 + workload.stateValues()) * parameters;
    }
    return IntStream.range(0, about.length)
        .boxed()
        .sorted(Comparator.comparingDouble(stage -> -about[stage]))
        .limit(LIKELY)
        .toList();
  }

  /** Seconds of layers of which every rank along the inner axes computes all. */
  private double replicated() {
    double seconds = 0;
    for (int i = 0; i < layers && mesh.inner().stream().anyMatch(axis -> axis.size() > 1); i++) {
      LocalPlan.Work work = plan.work().get(i);
      if (work.share() >= 1 && work.samples().count(samples) == samples) {
        seconds += pass.forward[i] + pass.backward[i];
      }
    }
    return seconds;
  }

  /** With all that is not needed to compare times. */
  Projection projection() {
    double all = iteration();
    double computing =
        PassTimes.sum(pass.forward, 0, layers) + PassTimes.sum(pass.backward, 0, layers);
    int stages = cut == null ? 1 : cut.count();
    return new Projection(
        workload,
        candidate,
        seconds,
        memory(),
        all == 0 ? 0 : pass.spread * passes * crowding / stages / all,
        new LayerSpans(plan, pass, passes, crowding),
        computing == 0 ? 0 : pass.estimated / computing,
        computing == 0 ? 0 : replicated() / computing,
        plan.network().notes());
  }
}
