package dev.tandem.oracle.sync;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Simulates policies on networks and numbers of ranks. The same seed gives the same results,
 * whatever the number of threads. For any thread.
 */
public final class SyncSimulator {

  /** Samples of all ranks in strong scaling, as published. */
  public static final int GLOBAL_BATCH = Workload.GLOBAL_BATCH;

  /** More would take too long; nobody has published as many. */
  public static final int MOST_RANKS = 1 << 20;

  private static final int WARM_UP = 2;

  /** Ranks times iterations of a run: enough for steady means, little enough to be quick. */
  private static final int RANK_ITERATIONS = 800_000;

  private static final int LEAST_ITERATIONS = 6;

  /** As published: three runs of 500. */
  private static final int MOST_ITERATIONS = 1_500;

  private final SyncParameters parameters;
  private final Seed seed;
  private final int rankIterations;

  public SyncSimulator(SyncParameters parameters, Seed seed) {
    this(parameters, seed, RANK_ITERATIONS);
  }

  SyncSimulator(SyncParameters parameters, Seed seed, int rankIterations) {
    this.parameters = parameters;
    this.seed = seed;
    this.rankIterations = rankIterations;
  }

  /** All networks on all numbers of ranks under the policies, in that order; real input. */
  public List<SimulatedSync> table(
      List<NetworkProfile> networks,
      List<Integer> ranks,
      List<SimulatedPolicy> policies,
      Scaling scaling,
      Progress progress) {
    record Cell(NetworkProfile network, int ranks) {}
    List<Cell> cells = new ArrayList<>();
    networks.forEach(network -> ranks.forEach(count -> cells.add(new Cell(network, count))));
    List<Future<List<SimulatedSync>>> results = new ArrayList<>();
    AtomicInteger done = new AtomicInteger();
    try (Progress.Task task = progress.start("simulating", cells.size(), "runs");
        ExecutorService threads = threads()) {
      for (Cell cell : cells) {
        results.add(
            threads.submit(
                () -> {
                  List<SimulatedSync> rows =
                      compare(cell.network, cell.ranks, policies, scaling, false);
                  task.advanceTo(done.incrementAndGet(), cell.network.name());
                  return rows;
                }));
      }
      List<SimulatedSync> rows = new ArrayList<>();
      for (Future<List<SimulatedSync>> result : results) {
        rows.addAll(result.get());
      }
      return rows;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("the simulation was interrupted");
    }
  }

  /** One network on some ranks under the policies. */
  public List<SimulatedSync> compare(
      NetworkProfile network,
      int ranks,
      List<SimulatedPolicy> policies,
      Scaling scaling,
      boolean synthetic) {
    Workload workload = Workload.of(parameters.cluster(), network, scaling, ranks, synthetic);
    double linear = account(SimulatedPolicy.BASELINE, workload, 1).total / iterations(1);
    SimulatedSync baseline = row(SimulatedPolicy.BASELINE, workload, scaling, synthetic, ranks);
    List<SimulatedSync> rows = new ArrayList<>();
    for (SimulatedPolicy policy : policies) {
      SimulatedSync row =
          policy == SimulatedPolicy.BASELINE
              ? baseline
              : row(policy, workload, scaling, synthetic, ranks);
      rows.add(row.against(linear, baseline.iterationMillis()));
    }
    return rows;
  }

  private SimulatedSync row(
      SimulatedPolicy policy, Workload workload, Scaling scaling, boolean synthetic, int ranks) {
    return SimulatedSync.of(
        new SyncRun(workload.network().name(), policy, scaling, synthetic, ranks),
        workload,
        account(policy, workload, ranks),
        iterations(ranks));
  }

  private TimeAccount account(SimulatedPolicy policy, Workload workload, int ranks) {
    Seed own = seed.derive(workload.network().name()).derive(ranks);
    return SyncSimulation.of(parameters, policy, workload, ranks, own)
        .run(WARM_UP, iterations(ranks));
  }

  private int iterations(int ranks) {
    return Math.clamp(rankIterations / ranks, LEAST_ITERATIONS, MOST_ITERATIONS);
  }

  private static ExecutorService threads() {
    return Executors.newFixedThreadPool(
        Runtime.getRuntime().availableProcessors(),
        Thread.ofPlatform().name("simulate-sync-", 0).daemon().factory());
  }
}
