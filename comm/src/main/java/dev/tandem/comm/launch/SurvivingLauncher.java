package dev.tandem.comm.launch;

import dev.tandem.comm.rendezvous.Deadline;
import dev.tandem.comm.rendezvous.GenerationHost;
import dev.tandem.comm.rendezvous.GenerationLine;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.comm.rendezvous.RendezvousHost;
import dev.tandem.core.WorkFailedException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs a program as several processes that stay when one of them is lost; see {@code Note
 * [generations]}. A process that is lost, or stops as it was asked to, is replaced as long as
 * {@link Restarts} allows, unless all of several are asked; a process that fails by its own
 * decision ends the job, as with {@link ProcessLauncher}.
 *
 * <p>One launcher runs one job; {@link #run} may be called once, from any thread.
 */
public final class SurvivingLauncher {

  /** What survivors do until the replacement is there. */
  public enum Meanwhile {
    /** Go on, fewer; the replacement joins them later. */
    GO_ON,
    /** Wait for it, so that they are always as many. */
    WAIT
  }

  /** What happens to a job; handled one after the other by the thread in {@link #run}. */
  private sealed interface Event {}

  private record Ready(int process) implements Event {}

  private record Ended(RankExit exit) implements Event {}

  /** One of the places for processes. */
  private static final class Slot {
    private Optional<RankProcess> process = Optional.empty();
    private boolean member = true;
    private boolean ready;

    boolean busy() {
      return process.isPresent() && member && !ready;
    }
  }

  private final LaunchPlan plan;
  private final Placement placement;
  private final Meanwhile meanwhile;
  private final Restarts restarts;
  private final Consumer<String> log;
  private final RankProcesses processes;
  private final GenerationHost generations;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final List<Slot> slots = new ArrayList<>();
  private final FirstFailure failure = new FirstFailure();
  private Optional<RendezvousHost> meetingPoint = Optional.empty();
  private Optional<Deadline> laggards = Optional.empty();
  private int generation;
  private int running;
  private int members;

  /** How many members of this generation have stopped as asked. */
  private int stopped;

  private boolean over;

  /** A loss since the last generation was formed. */
  private Optional<RankExit> loss = Optional.empty();

  /** Whether there is a reason for the next generation that was counted already. */
  private boolean reason = true;

  /**
   * A launcher of as many processes as the placement has hosts.
   *
   * @param output gets lines by the number of the process, which stays; ranks may change
   * @param log takes lines about the job itself, such as a lost process
   */
  public SurvivingLauncher(
      LaunchPlan plan,
      Placement placement,
      Meanwhile meanwhile,
      Restarts restarts,
      RankOutput output,
      Consumer<String> log) {
    Map<String, String> environment = new HashMap<>(plan.environment());
    environment.put(GenerationLine.VARIABLE, "1");
    this.plan = plan.withEnvironment(environment);
    this.placement = placement;
    this.meanwhile = meanwhile;
    this.restarts = restarts;
    this.log = log;
    for (int i = 0; i < plan.ranks(); i++) {
      slots.add(new Slot());
    }
    this.generations =
        GenerationHost.open(
            plan.ranks(),
            placement.secret(),
            RankProcesses.tls(plan),
            placement.meetingPoint(),
            process -> events.add(new Ready(process)),
            log);
    this.processes = new RankProcesses(this.plan, output, log, () -> generations.giveUp("stopped"));
  }

  /** Starts all processes and waits until the work is done or cannot go on. */
  public LaunchResult run() {
    try (generations;
        processes) {
      for (int slot = 0; slot < slots.size(); slot++) {
        start(slot);
      }
      while (running > 0) {
        handle();
      }
      processes.drainAll();
      return processes.interrupted() ? LaunchResult.STOPPED : failure.result(OptionalInt.empty());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while the ranks ran", e);
    } finally {
      meetingPoint.ifPresent(RendezvousHost::close);
    }
  }

  private void start(int slot) {
    JobEnvironment job = generations.environment(slot).on(placement.hosts().get(slot));
    slots.get(slot).process =
        processes.start(new RankCommand(plan, placement, job), exit -> events.add(new Ended(exit)));
    running += slots.get(slot).process.isPresent() ? 1 : 0;
  }

  private void handle() throws InterruptedException {
    Event event =
        laggards.isEmpty()
            ? events.take()
            : events.poll(laggards.get().remainingNanos(), TimeUnit.NANOSECONDS);
    switch (event) {
      case null -> endLaggards();
      case Ready(int process) -> ready(process);
      case Ended(RankExit exit) -> ended(exit);
    }
    if (!over) {
      form();
    }
  }

  private void ready(int process) {
    Slot slot = slots.get(process);
    slot.ready = true;
    if (over) {
      if (!slot.member) {
        generations.finish(process);
      }
      return;
    }
    reason |= !slot.member;
    if (!slot.member && meanwhile == Meanwhile.GO_ON) {
      for (int other = 0; other < slots.size(); other++) {
        if (slots.get(other).busy()) {
          generations.want(other);
        }
      }
    }
  }

  private void ended(RankExit exit) {
    running--;
    generations.forget(exit.rank());
    Slot slot = slots.get(exit.rank());
    slot.process = Optional.empty();
    slot.member = false;
    slot.ready = false;
    if (over || processes.interrupted()) {
      failure.add(exit);
      return;
    }
    if (exit.code() == 0) {
      // The work is done: others end, too. Unless one was lost in the last moment: then nobody
      // knows whether it had said all it had to say.
      loss.ifPresent(failure::add);
      failure.add(exit);
      end("a process was lost in the last moment");
      return;
    }
    meetingPoint.ifPresent(host -> host.giveUp(exit + " before all had joined"));
    stopped += exit.asAsked() ? 1 : 0;
    boolean allAsked = stopped == members && members > 1;
    boolean replaceable = (exit.lost() && !exit.byControlC()) || (exit.asAsked() && !allAsked);
    if (!replaceable || !restarts.take()) {
      failure.add(exit);
      end(exit.toString());
      return;
    }
    log.accept(
        "%s; restart %s: %s"
            .formatted(
                exit.asAsked() ? "rank %d stopped as asked".formatted(exit.rank()) : exit,
                restarts,
                meanwhile == Meanwhile.GO_ON
                    ? "the others go on until its replacement joins them"
                    : "the others wait for its replacement"));
    loss = Optional.of(exit);
    reason = true;
    start(exit.rank());
  }

  /** No further generation: newcomers are not needed, and members that wait cannot go on. */
  private void end(String reason) {
    over = true;
    laggards = failure.failed() ? Optional.of(Deadline.in(plan.reporting())) : Optional.empty();
    for (int i = 0; i < slots.size(); i++) {
      if (slots.get(i).ready && !slots.get(i).member) {
        generations.finish(i);
      }
    }
    generations.giveUp(reason);
  }

  /** Those that neither end nor come back although others have: a loss that is not seen as one. */
  private void endLaggards() {
    laggards = Optional.empty();
    if (over) {
      log.accept("ending %d ranks that do not end by themselves".formatted(running));
      processes.stopAll();
      return;
    }
    for (int i = 0; i < slots.size(); i++) {
      Slot slot = slots.get(i);
      if (slot.busy()) {
        log.accept("ending process %d, which does not come back to the others".formatted(i));
        slot.process.orElseThrow().kill(plan.grace());
      }
    }
  }

  /** Forms the next generation, if all are there that it needs. */
  private void form() {
    List<Integer> ready = new ArrayList<>();
    boolean busy = false;
    boolean came = false;
    for (int i = 0; i < slots.size(); i++) {
      Slot slot = slots.get(i);
      busy |= slot.busy();
      came |= slot.ready && slot.member && generation > 0;
      if (slot.ready) {
        ready.add(i);
      }
    }
    if (busy) {
      if (came && laggards.isEmpty()) {
        laggards = Optional.of(Deadline.in(plan.joining()));
      }
      return;
    }
    laggards = Optional.empty();
    boolean complete =
        switch (meanwhile) {
          case GO_ON -> !ready.isEmpty();
          case WAIT -> ready.size() == slots.size();
        };
    if (!complete) {
      return;
    }
    if (!reason && !restarts.take()) {
      end("the processes lose each other although none has ended");
      return;
    }
    assign(ready);
  }

  private void assign(List<Integer> ready) {
    generation++;
    members = ready.size();
    stopped = 0;
    loss = Optional.empty();
    reason = false;
    meetingPoint.ifPresent(RendezvousHost::close);
    RendezvousHost host =
        RendezvousHost.open(
            ready.size(),
            placement.secret().ofGeneration(generation),
            RankProcesses.tls(plan),
            new InetSocketAddress(placement.meetingPoint().getAddress(), 0),
            plan.joining(),
            log);
    meetingPoint = Optional.of(host);
    for (int rank = 0; rank < ready.size(); rank++) {
      Slot slot = slots.get(ready.get(rank));
      slot.member = true;
      slot.ready = false;
      InetSocketAddress address = host.environment(rank).rendezvous();
      generations.assign(ready.get(rank), generation, rank, ready.size(), address);
    }
  }
}
