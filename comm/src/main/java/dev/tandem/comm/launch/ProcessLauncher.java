package dev.tandem.comm.launch;

import dev.tandem.comm.rendezvous.Deadline;
import dev.tandem.comm.rendezvous.JobSecret;
import dev.tandem.comm.rendezvous.RendezvousHost;
import dev.tandem.core.WorkFailedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs a program as several processes of this machine and ends them together (see {@code Note [no
 * orphans]}). The secret of the job travels in the environment, never on the command line.
 *
 * <p>One launcher runs one job; {@link #run} may be called once, from any thread.
 */
public final class ProcessLauncher {

  private final LaunchPlan plan;
  private final RankOutput output;
  private final Consumer<String> log;
  private final List<RankProcess> children = new ArrayList<>();
  private final BlockingQueue<RankExit> exits = new LinkedBlockingQueue<>();
  private boolean stopping;
  private volatile boolean interrupted;

  /**
   * @param log takes lines about the job itself, such as a refused connection
   */
  public ProcessLauncher(LaunchPlan plan, RankOutput output, Consumer<String> log) {
    this.plan = plan;
    this.output = output;
    this.log = log;
  }

  /** Starts all ranks and waits for their end. */
  public LaunchResult run() {
    Thread hook = new Thread(this::interrupt, "tandem-stop-ranks");
    Runtime.getRuntime().addShutdownHook(hook);
    try (RendezvousHost host =
        RendezvousHost.open(plan.ranks(), JobSecret.random(), plan.joining(), log)) {
      startAll(host);
      LaunchResult result = supervise(host);
      for (RankProcess child : children) {
        child.drain();
      }
      return result;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while the ranks ran", e);
    } finally {
      stopAll();
      removeHook(hook);
    }
  }

  private void interrupt() {
    interrupted = true;
    stopAll();
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
      RankProcess child = RankProcess.start(plan, host.environment(rank), output);
      children.add(child);
      Thread.ofVirtual().name("tandem-exit-" + rank).start(() -> exits.add(child.await()));
    }
  }

  private LaunchResult supervise(RendezvousHost host) throws InterruptedException {
    Verdict verdict = new Verdict();
    int running = plan.ranks();
    while (running > 0 && !verdict.failed()) {
      verdict.add(exits.take());
      running--;
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

  /** Ends all ranks that still run: SIGTERM, and after a grace SIGKILL. */
  private synchronized void stopAll() {
    stopping = true;
    List<Process> alive =
        children.stream().map(RankProcess::process).filter(Process::isAlive).toList();
    alive.forEach(Process::destroy);
    Deadline deadline = Deadline.in(plan.grace());
    for (Process process : alive) {
      if (!ended(process, Duration.ofNanos(deadline.remainingNanos()))) {
        process.destroyForcibly();
      }
    }
    for (Process process : alive) {
      if (!ended(process, plan.grace())) {
        log.accept("process %d does not end even by SIGKILL".formatted(process.pid()));
      }
    }
  }

  private static boolean ended(Process process, Duration patience) {
    try {
      return process.waitFor(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
      return !process.isAlive();
    }
  }
}
