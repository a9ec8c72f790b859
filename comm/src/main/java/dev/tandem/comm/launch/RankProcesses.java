package dev.tandem.comm.launch;

import dev.tandem.comm.rendezvous.Deadline;
import dev.tandem.comm.rendezvous.TlsKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The processes that one launcher has started, and how they are ended: in order, or with the
 * launcher itself when that is stopped by a signal. Thread-safe.
 */
final class RankProcesses implements AutoCloseable {

  private static final long ASK_AGAIN_NANOS = 1_000_000_000;

  private final LaunchPlan plan;
  private final RankOutput output;
  private final Consumer<String> log;
  private final Runnable beforeStop;
  private final List<RankProcess> children = new ArrayList<>();
  private final MemoryKills memoryKills = new MemoryKills();
  private final Thread hook = new Thread(this::interrupt, "tandem-stop-ranks");
  private boolean stopping;
  private volatile boolean interrupted;

  /**
   * None yet.
   *
   * @param beforeStop called first when the launcher is stopped by a signal
   */
  RankProcesses(LaunchPlan plan, RankOutput output, Consumer<String> log, Runnable beforeStop) {
    this.plan = plan;
    this.output = output;
    this.log = log;
    this.beforeStop = beforeStop;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** The keys of a job's meeting points: the same that its ranks will find. */
  static Optional<TlsKeys> tls(LaunchPlan plan) {
    Map<String, String> variables = new HashMap<>(System.getenv());
    variables.putAll(plan.environment());
    return TlsKeys.of(variables);
  }

  /**
   * Starts a process, unless all are being ended.
   *
   * @param ended told of its end, by a thread of its own
   */
  synchronized Optional<RankProcess> start(RankCommand command, Consumer<RankExit> ended) {
    if (stopping) {
      return Optional.empty();
    }
    RankProcess child = RankProcess.start(command, output);
    children.removeIf(before -> !before.alive() && before.drained());
    children.add(child);
    Thread.ofVirtual()
        .name("tandem-exit-" + command.job().rank())
        .start(() -> ended.accept(memoryKills.explained(child.await())));
    return Optional.of(child);
  }

  /** Whether the launcher is being stopped by a signal. */
  boolean interrupted() {
    return interrupted;
  }

  private void interrupt() {
    interrupted = true;
    beforeStop.run();
    stopAll();
    try {
      // What they had to say at their end is worth the moment.
      drainAll();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until all that they printed was passed on. */
  void drainAll() throws InterruptedException {
    List<RankProcess> all;
    synchronized (this) {
      all = List.copyOf(children);
    }
    for (RankProcess child : all) {
      child.drain();
    }
  }

  /** Ends all that still run: asks them to, and after a grace does not ask any more. */
  synchronized void stopAll() {
    stopping = true;
    List<RankProcess> alive = children.stream().filter(RankProcess::alive).toList();
    alive.forEach(RankProcess::end);
    Deadline deadline = Deadline.in(plan.grace());
    while (!deadline.passed() && alive.stream().anyMatch(RankProcess::alive)) {
      for (RankProcess child : alive) {
        long patience = Math.min(ASK_AGAIN_NANOS, deadline.remainingNanos());
        if (!child.ended(Duration.ofNanos(patience)) && child.remote()) {
          child.end();
        }
      }
    }
    for (RankProcess child : alive) {
      if (child.alive()) {
        child.kill(plan.grace());
      }
    }
    for (RankProcess child : alive) {
      if (!child.ended(plan.grace())) {
        log.accept(child + " does not end even by SIGKILL");
      }
    }
  }

  @Override
  public void close() {
    stopAll();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is shutting down: the hook is running or has run.
    }
  }
}
