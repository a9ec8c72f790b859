package dev.tandem.comm.launch;

import dev.tandem.comm.rendezvous.Deadline;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.comm.rendezvous.RendezvousHost;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs a program as several processes, of this machine or of several, and ends them together (see
 * {@code Note [no orphans]}). The secret of the job and the password of its keystore travel in the
 * environment, never on a command line.
 *
 * <p>One launcher runs one job; {@link #run} may be called once, from any thread.
 */
public final class ProcessLauncher {

  private final LaunchPlan plan;
  private final Placement placement;
  private final RankOutput output;
  private final Consumer<String> log;
  private final BlockingQueue<RankExit> exits = new LinkedBlockingQueue<>();

  /**
   * A launcher of processes of this machine.
   *
   * @param log takes lines about the job itself, such as a refused connection
   */
  public ProcessLauncher(LaunchPlan plan, RankOutput output, Consumer<String> log) {
    this(plan, Placement.here(plan.ranks()), output, log);
  }

  /**
   * A launcher of processes of several hosts.
   *
   * @param log takes lines about the job itself, such as a refused connection
   */
  public ProcessLauncher(
      LaunchPlan plan, Placement placement, RankOutput output, Consumer<String> log) {
    if (placement.hosts().size() != plan.ranks()) {
      throw new UsageException(
          "the hosts have room for %d ranks, not %d"
              .formatted(placement.hosts().size(), plan.ranks()));
    }
    this.plan = plan;
    this.placement = placement;
    this.output = output;
    this.log = log;
  }

  /** Starts all ranks and waits for their end. */
  public LaunchResult run() {
    try (RankProcesses processes = new RankProcesses(plan, output, log, () -> {});
        RendezvousHost host =
            RendezvousHost.open(
                plan.ranks(),
                placement.secret(),
                RankProcesses.tls(plan),
                placement.meetingPoint(),
                plan.joining(),
                log)) {
      for (int rank = 0; rank < plan.ranks(); rank++) {
        JobEnvironment job = host.environment(rank).on(placement.hosts().get(rank));
        var _ = processes.start(new RankCommand(plan, placement, job), exits::add);
      }
      LaunchResult result = supervise(host, processes);
      processes.drainAll();
      return result;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while the ranks ran", e);
    }
  }

  private LaunchResult supervise(RendezvousHost host, RankProcesses processes)
      throws InterruptedException {
    FirstFailure failure = new FirstFailure();
    int running = plan.ranks();
    while (running > 0 && !failure.failed()) {
      RankExit exit = exits.take();
      failure.add(exit);
      running--;
      if (failure.failed()) {
        host.giveUp(exit + " before all had joined");
      }
    }
    Deadline deadline = Deadline.in(plan.reporting());
    while (running > 0) {
      RankExit exit = exits.poll(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
      if (exit == null) {
        log.accept("ending %d ranks that do not end by themselves".formatted(running));
        processes.stopAll();
        break;
      }
      failure.add(exit);
      running--;
    }
    return processes.interrupted() ? LaunchResult.STOPPED : failure.result(host.reportedLoss());
  }
}
