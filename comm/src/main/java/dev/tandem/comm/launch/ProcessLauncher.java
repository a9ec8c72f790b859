package dev.tandem.comm.launch;

import dev.tandem.comm.rendezvous.Deadline;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.comm.rendezvous.RendezvousHost;
import dev.tandem.comm.rendezvous.TlsKeys;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
  private final List<RankProcess> children = new ArrayList<>();
  private final BlockingQueue<RankExit> exits = new LinkedBlockingQueue<>();
  private boolean stopping;
  private volatile boolean interrupted;

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
    Optional<TlsKeys> tls = tls();
    Thread hook = new Thread(this::interrupt, "tandem-stop-ranks");
    Runtime.getRuntime().addShutdownHook(hook);
    try (RendezvousHost host =
        RendezvousHost.open(
            plan.ranks(), placement.secret(), tls, placement.meetingPoint(), plan.joining(), log)) {
      startAll(host);
      LaunchResult result = supervise(host);
      drainAll();
      return result;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while the ranks ran", e);
    } finally {
      stopAll();
      removeHook(hook);
    }
  }

  /** The keys of the meeting point: the same that the ranks will find. */
  private Optional<TlsKeys> tls() {
    Map<String, String> variables = new HashMap<>(System.getenv());
    variables.putAll(plan.environment());
    return TlsKeys.of(variables);
  }

  private void interrupt() {
    interrupted = true;
    stopAll();
    try {
      // What they had to say at their end is worth the moment.
      drainAll();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void drainAll() throws InterruptedException {
    List<RankProcess> all;
    synchronized (this) {
      all = List.copyOf(children);
    }
    for (RankProcess child : all) {
      child.drain();
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is shutting down: the hook is running or has run.
    }
  }

  private synchronized void startAll(RendezvousHost host) {
    for (int rank = 0; rank < plan.ranks() && !stopping; rank++) {
      JobEnvironment job = host.environment(rank).on(placement.hosts().get(rank));
      RankProcess child = RankProcess.start(new RankCommand(plan, placement, job), output);
      children.add(child);
      Thread.ofVirtual().name("tandem-exit-" + rank).start(() -> exits.add(child.await()));
    }
  }

  private LaunchResult supervise(RendezvousHost host) throws InterruptedException {
    Verdict verdict = new Verdict();
    int running = plan.ranks();
    while (running > 0 && !verdict.failed()) {
      RankExit exit = exits.take();
      verdict.add(exit);
      running--;
      if (verdict.failed()) {
        host.giveUp(exit + " before all had joined");
      }
    }
    Deadline deadline = Deadline.in(plan.reporting());
    while (running > 0) {
      RankExit exit = exits.poll(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
      if (exit == null) {
        log.accept("ending %d ranks that do not end by themselves".formatted(running));
        stopAll();
        break;
      }
      verdict.add(exit);
      running--;
    }
    return interrupted ? LaunchResult.STOPPED : verdict.result(host.reportedLoss());
  }

  /** Ends all ranks that still run: asks them to, and after a grace does not ask any more. */
  private synchronized void stopAll() {
    stopping = true;
    List<RankProcess> alive = children.stream().filter(RankProcess::alive).toList();
    alive.forEach(RankProcess::end);
    Deadline deadline = Deadline.in(plan.grace());
    for (RankProcess child : alive) {
      if (!child.ended(Duration.ofNanos(deadline.remainingNanos()))) {
        child.kill(plan.grace());
      }
    }
    for (RankProcess child : alive) {
      if (!child.ended(plan.grace())) {
        log.accept(child + " does not end even by SIGKILL");
      }
    }
  }
}
