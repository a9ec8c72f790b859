package dev.tandem.oracle.sync;

import dev.tandem.comm.collective.TeamPosition;
import dev.tandem.core.Seed;
import java.util.Arrays;

/**
 * One network under one policy on some ranks: iterations, one after another. All ranks begin an
 * iteration together, because the last transfer of the one before ended on all of them together.
 * Transfers are the device's: they follow one another and keep no core busy. Confined to one
 * thread. Times are milliseconds.
 */
abstract sealed class SyncSimulation permits NegotiatedSimulation, PlannedSimulation {

  final ClusterModel cluster;
  final SimulatedPolicy policy;
  final Workload workload;
  final int ranks;
  final RankNoise noise;
  final TimeAccount account = new TimeAccount();

  /** The rank whose transfers stand for those of all. */
  private final TeamPosition place;

  /** When each rank has computed its gradients. */
  final double[] computed;

  /** When the iteration began, and when its input pipeline comes to rest. */
  double begin;

  double windowEnd;

  private double transfersEnd;
  private double copied;

  SyncSimulation(
      SyncParameters parameters, SimulatedPolicy policy, Workload workload, int ranks, Seed seed) {
    this.cluster = parameters.cluster();
    this.policy = policy;
    this.workload = workload;
    this.ranks = ranks;
    this.place = new TeamPosition(0, ranks, false);
    this.noise = new RankNoise(parameters.noise(), seed);
    this.computed = new double[ranks];
  }

  static SyncSimulation of(
      SyncParameters parameters, SimulatedPolicy policy, Workload workload, int ranks, Seed seed) {
    return policy.negotiates()
        ? new NegotiatedSimulation(parameters, policy, workload, ranks, seed)
        : new PlannedSimulation(parameters, policy, workload, ranks, seed);
  }

  /** Runs iterations and gives their account; those of the warm-up do not count. */
  final TimeAccount run(int warmUp, int iterations) {
    for (int iteration = 0; iteration < warmUp + iterations; iteration++) {
      if (iteration == warmUp) {
        account.clear();
      }
      iterate();
    }
    return account;
  }

  private void iterate() {
    windowEnd = begin + inputMillis();
    copied = 0;
    long waitsBefore = noise.engineWaits();
    noise.computeEnds(begin, dragged(workload.computeMillis(), begin), engineContended(), computed);
    double started = synchronise();
    double compute = Arrays.stream(computed).sum() / ranks - begin;
    account.compute += compute;
    account.background += started - begin - compute;
    account.copy += copied;
    account.transfer += transfersEnd - started - copied;
    account.window += Math.min(windowEnd - begin, compute);
    account.engineWaits += (double) (noise.engineWaits() - waitsBefore) / ranks;
    // The next batch is prepared while this one is used: it may be late, too.
    double next = Math.max(transfersEnd, windowEnd);
    account.total += next - begin;
    begin = next;
  }

  /** Starts all transfers of an iteration; gives when ranks started the last, on average. */
  abstract double synchronise();

  /** Runs a transfer of some tensors that all ranks have started by now. */
  final void transfer(double started, int tensors) {
    double bytes = tensors * tensorBytes();
    double copyBegin = Math.max(transfersEnd, started);
    double copyEnd = copyBegin + dragged(cluster.links().copyMillis(bytes, ranks), copyBegin);
    transfersEnd = copyEnd + dragged(cluster.transferMillis(bytes, place), copyEnd);
    copied += copyEnd - copyBegin;
  }

  /**
   * By how much the synchroniser's thread wakes late that should wake at a time. A core of its own
   * keeps it from the input pipeline, not from the operating system.
   */
  final double late(double time, double slept) {
    return noise.slack() + noise.held(contended(time), slept);
  }

  /** Whether the synchroniser's thread that wakes at a time may find its core held by input. */
  private boolean contended(double time) {
    return !policy.partitions() && time >= begin && time < windowEnd;
  }

  /** Whether the engine, which wakes when an iteration begins, may find its core held by input. */
  private boolean engineContended() {
    return windowEnd > begin && !(policy.partitions() && cluster.cores().engine() > 0);
  }

  final double tensorBytes() {
    return workload.network().gradientBytes() / workload.network().tensors();
  }

  final double requestMillis() {
    return cluster.protocol().requestMicros() / 1e3;
  }

  /**
   * How long work of the device takes that begins at a time: a pass, a copy or a transfer. While
   * the input pipeline is busy it is slower, because they share memory, links and copy engines,
   * whatever the cores are divided into. On fewer cores input takes the same from it, more slowly
   * and for longer.
   */
  private double dragged(double millis, double from) {
    double shared = windowEnd - from;
    if (shared <= 0) {
      return millis;
    }
    double drag = cluster.input().drag();
    double lost = drag / (1 + drag) * workload.inputMillis() / inputMillis();
    return Math.min(millis / (1 - lost), millis + shared * lost);
  }

  private double inputMillis() {
    return policy.partitions()
        ? workload.inputMillis() * cluster.cores().all() / cluster.cores().input()
        : workload.inputMillis();
  }
}
