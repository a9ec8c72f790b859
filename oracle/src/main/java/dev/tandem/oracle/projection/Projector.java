package dev.tandem.oracle.projection;

import dev.tandem.parallel.cost.PlanMemory;
import dev.tandem.parallel.cost.PlanTraffic;
import dev.tandem.parallel.cost.PlanTraffic.Operation;
import dev.tandem.parallel.cost.PlannedGroups;
import dev.tandem.parallel.cost.PlannedStep;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.rule.Space;
import dev.tandem.parallel.stage.Balance;
import dev.tandem.parallel.strategy.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Projects how ways to train go: from what layers and collectives take, the plans of {@code
 * parallel} and their traffic and memory. What ranks compute along inner axes is planned once for
 * all meshes with these axes, so many candidates take little time. May be used by several threads.
 */
public final class Projector {

  private final Workload workload;
  private final Environment environment;
  private final Set<Term> terms;
  private final Map<PlanKey, List<LocalPlan>> plans;
  private final Map<RankKey, LocalPlan> further;
  private final Map<TimesKey, PassTimes> times;
  private final Map<StagesKey, StagedPlan> staged;
  private final Map<TimesKey, Balance> balances;
  private final Map<MemoryKey, PlanMemory> memories;
  private final Map<StageRun.Key, StageRun> runs;
  private final RememberedPasses remembered;

  private record PlanKey(Mesh inner, Strategy strategy) {}

  private record RankKey(PlanKey plan, int rank) {}

  private record TimesKey(LocalPlan plan, long samples, int onNode) {}

  private record StagesKey(LocalPlan plan, int stages, long samples, int onNode) {}

  private record MemoryKey(LocalPlan plan, int data, PlannedStep step, int open) {}

  /** For one workload on some devices. */
  public Projector(Workload workload, Environment environment, Set<Term> terms) {
    this.workload = workload;
    this.environment = environment;
    this.terms = Set.copyOf(terms);
    plans = new ConcurrentHashMap<>();
    further = new ConcurrentHashMap<>();
    times = new ConcurrentHashMap<>();
    staged = new ConcurrentHashMap<>();
    balances = new ConcurrentHashMap<>();
    memories = new ConcurrentHashMap<>();
    runs = new ConcurrentHashMap<>();
    remembered = new RememberedPasses(environment.layers(), workload.network());
  }

  private Projector(Projector other, Workload workload) {
    this.workload = workload;
    environment = other.environment;
    terms = other.terms;
    plans = other.plans;
    further = other.further;
    times = other.times;
    staged = other.staged;
    balances = other.balances;
    memories = other.memories;
    runs = other.runs;
    remembered = other.remembered;
  }

  /** The same for another batch; what was planned for one serves both. */
  public Projector withBatch(int samples) {
    return new Projector(this, workload.withBatch(samples));
  }

  /**
   * How a candidate goes.
   *
   * @throws dev.tandem.core.UsageException if it cannot be
   */
  public Projection project(Candidate candidate) {
    return slowest(candidate).projection();
  }

  /**
   * Seconds of an iteration alone, which takes less time to tell than all of a projection.
   *
   * @throws dev.tandem.core.UsageException if the candidate cannot be
   */
  public double seconds(Candidate candidate) {
    return slowest(candidate).iteration();
  }

  /**
   * Bytes that a rank of a candidate needs at least; all that it needs, if there are no stages.
   *
   * @throws dev.tandem.core.UsageException if the candidate cannot be
   */
  public double leastMemory(Candidate candidate) {
    return new RankProjection(this, candidate, planned(candidate).getFirst()).leastMemory();
  }

  /** Bytes of memory for each of so many ranks. */
  public double memoryOfRank(int ranks) {
    return environment.memoryBytes() / Math.ceilDiv(ranks, environment.devices());
  }

  private List<LocalPlan> planned(Candidate candidate) {
    return plans.computeIfAbsent(key(candidate), this::planned);
  }

  private static PlanKey key(Candidate candidate) {
    return new PlanKey(new Mesh(candidate.mesh().inner()), candidate.strategy());
  }

  /** Of the rank at a place along the inner axes of a candidate. */
  LocalPlan plan(Candidate candidate, int own) {
    PlanKey key = key(candidate);
    for (LocalPlan plan : planned(candidate)) {
      if (plan.groups().rank() == own) {
        return plan;
      }
    }
    return further.computeIfAbsent(new RankKey(key, own), _ -> plan(key, own));
  }

  private RankProjection slowest(Candidate candidate) {
    RankProjection slowest = null;
    for (LocalPlan plan : planned(candidate)) {
      RankProjection own = new RankProjection(this, candidate, plan);
      if (slowest == null || own.iteration() > slowest.iteration()) {
        slowest = own;
      }
    }
    return slowest;
  }

  /**
   * Of the first rank, whose parts are largest, and in space of one that has neighbours on both
   * sides.
   */
  private List<LocalPlan> planned(PlanKey key) {
    List<LocalPlan> ranks = new ArrayList<>();
    ranks.add(plan(key, 0));
    boolean sides =
        key.inner.axes().stream()
            .anyMatch(axis -> Space.NAMES.contains(axis.name()) && axis.size() > 2);
    if (sides) {
      ranks.add(plan(key, middle(key.inner)));
    }
    return ranks;
  }

  /**
   * What the rank that sends most sends in an iteration of a candidate, call by call: to the byte
   * what ranks of {@code tandem train} send.
   */
  public PlanTraffic traffic(Candidate candidate) {
    return new CandidateTraffic(this, candidate).most();
  }

  /** Names of the layers at which the stages of a candidate begin, the first left out. */
  public List<String> cuts(Candidate candidate) {
    Mesh mesh = candidate.mesh();
    MeshGroups groups =
        new MeshGroups(mesh, environment.devicesPerNode(), terms.contains(Term.CONTENTION));
    long samples = Math.ceilDiv(workload.batch(), mesh.size(Mesh.DATA));
    long piece = Math.ceilDiv(samples, candidate.passes(samples));
    return staged(planned(candidate).getFirst(), mesh.size(Mesh.PIPELINE), piece, groups).names();
  }

  private LocalPlan plan(PlanKey key, int rank) {
    return LocalPlan.of(
        workload.network(),
        key.strategy,
        PlannedGroups.onOneHost(key.inner, rank),
        workload.frozen());
  }

  /** The rank in the middle of all axes. */
  static int middle(Mesh inner) {
    int rank = 0;
    for (Mesh.Axis axis : inner.axes()) {
      rank = rank * axis.size() + axis.size() / 2;
    }
    return Math.min(rank, inner.size() - 1);
  }

  /** What is trained. */
  public Workload workload() {
    return workload;
  }

  Environment environment() {
    return environment;
  }

  Set<Term> terms() {
    return terms;
  }

  /** What the layers of a plan take for some samples. */
  PassTimes times(LocalPlan plan, long samples, int onNode, MeshGroups groups) {
    return times.computeIfAbsent(
        new TimesKey(plan, samples, onNode),
        _ -> new PassTimes(plan, workload, environment, remembered, terms, samples, groups::along));
  }

  /**
   * A plan cut into stages that take about as long. Stages for nearly as many samples are the same.
   */
  StagedPlan staged(LocalPlan plan, int stages, long samples, MeshGroups groups) {
    int bits = Long.SIZE - 1 - Long.numberOfLeadingZeros(samples);
    long typical = 1L << (bits - bits % 2);
    int onNode = groups.onNode();
    return staged.computeIfAbsent(
        new StagesKey(plan, stages, typical, onNode),
        _ ->
            new StagedPlan(
                plan,
                balances.computeIfAbsent(
                    new TimesKey(plan, typical, onNode), _ -> balance(plan, typical, groups)),
                stages));
  }

  private Balance balance(LocalPlan plan, long samples, MeshGroups groups) {
    return StagedPlan.balance(
        plan,
        times(plan, samples, groups.onNode(), groups),
        elements ->
            environment
                .collectives()
                .of(
                    Operation.SEND,
                    groups.neighbours(),
                    elements * samples * workload.activations().bytes(),
                    1));
  }

  /** How pieces go through stages. */
  StageRun run(StageRun.Key key) {
    return runs.computeIfAbsent(key, _ -> StageRun.of(key, workload, environment));
  }

  /** The memory of the first rank along {@code data}. */
  PlanMemory memory(LocalPlan plan, int data, PlannedStep step, int open) {
    return memories.computeIfAbsent(
        new MemoryKey(plan, data, step, open),
        _ -> MemoryCount.of(plan, workload, step, data, open, terms));
  }
}
