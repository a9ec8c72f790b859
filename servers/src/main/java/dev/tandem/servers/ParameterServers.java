package dev.tandem.servers;

import dev.tandem.comm.Communicator;
import dev.tandem.core.WorkFailedException;
import dev.tandem.servers.Request.What;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A rank's part in training with parameter servers: its shard and its proxies, if it has any, and
 * its way to those of others. All ranks make one at the same time. Workers then call {@link
 * #update} once a step; ranks that do not work call {@link #serve}. A run ends with {@link #finish}
 * on all workers; closing without it tells nobody anything, so close the communicator next, and
 * others learn that this rank is lost.
 *
 * <p>For one thread.
 */
public final class ParameterServers implements AutoCloseable {

  private final int rank;
  private final Communicator requests;
  private final Communicator answers;
  private final Optional<Communicator> workers;
  private final TrafficCounter traffic;
  private final FailureLatch failures = new FailureLatch();
  private final ServingThreads threads;

  /** Null on a rank that does not work, and so never uses it. */
  private final Upstream upstream;

  private final Set<Notice> notices = EnumSet.noneOf(Notice.class);
  private long clock;
  private long lag;
  private Request.Answer last = new Request.Answer(0, Long.MAX_VALUE, 0);
  private boolean finished;

  private ParameterServers(
      Communicator communicator, ServerSettings settings, UpdateRule.Part whole) {
    ServerLayout layout = settings.layout();
    rank = communicator.rank();
    int[] everyone = IntStream.range(0, communicator.size()).toArray();
    requests = communicator.group(everyone);
    answers = communicator.group(everyone);
    workers =
        layout.workers().contains(rank)
            ? Optional.of(
                communicator.group(layout.workers().stream().mapToInt(one -> one).toArray()))
            : Optional.empty();
    traffic = new TrafficCounter(layout, rank);
    threads = new ServingThreads(rank, failures);
    Wire wire = new Wire(requests, answers, traffic);
    upstream = new Wiring(settings, rank, whole, wire, failures, threads).connect().orElse(null);
  }

  /**
   * Begins; all ranks call this at the same place in the order of their operations.
   *
   * @param parameters the flat float32 parameters, the same on all ranks; copied
   * @param slots what the rule keeps for each, laid out alike; copied
   */
  public static ParameterServers start(
      Communicator communicator,
      ServerSettings settings,
      MemorySegment parameters,
      List<MemorySegment> slots) {
    if (settings.layout().places().ranks() != communicator.size()) {
      throw new IllegalArgumentException("the layout is for another number of ranks");
    }
    if (slots.size() != settings.rule().slots()) {
      throw new IllegalArgumentException(
          "the rule keeps %d slots, not %d".formatted(settings.rule().slots(), slots.size()));
    }
    return new ParameterServers(communicator, settings, new UpdateRule.Part(0, parameters, slots));
  }

  /**
   * One step of a worker: {@link #push}, then {@link #pull}.
   *
   * @param gradient this worker's term in the sum over all workers; not changed
   * @param rate of learning of this step, the same on all workers
   * @param parameters where the servers' parameters go
   */
  public void update(MemorySegment gradient, double rate, MemorySegment parameters) {
    push(gradient, rate);
    pull(parameters);
  }

  /**
   * Hands over the gradient of a step; its memory may be used again afterwards. A {@link #pull}, or
   * a {@link #drain}, comes before the next one.
   */
  public void push(MemorySegment gradient, double rate) {
    long told = notices.stream().mapToLong(Notice::bit).sum();
    clock++;
    try {
      upstream.push(new Request.Push(clock, rate, told), gradient);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /** Waits for parameters that are fresh enough to go on with. */
  public void pull(MemorySegment parameters) {
    try {
      upstream.ask(new Request.Ask(What.CURRENT, clock, 0));
      last = upstream.take(parameters);
    } catch (RuntimeException e) {
      throw explained(e);
    }
    lag += Math.max(0, clock - last.version());
  }

  /** Tells all workers with the next update; see {@code Note [stopping together]}. */
  public void tell(Notice notice) {
    notices.add(notice);
  }

  /** Whether all workers stop after the step that was just made, because one sent a notice. */
  public boolean stopsHere() {
    return clock >= last.stopAt();
  }

  /**
   * Whether any worker has sent this notice, as far as this one knows; after {@link #drain} all do.
   */
  public boolean told(Notice notice) {
    return (last.notices() & notice.bit()) != 0;
  }

  /**
   * Waits until everything that was pushed is applied and gives it to every worker: after it all
   * have the same, and nothing is under way. All workers call it after the same step.
   *
   * @param slots where what the rule keeps goes; none if it is not needed
   */
  public void drain(MemorySegment parameters, List<MemorySegment> slots) {
    try {
      upstream.ask(new Request.Ask(What.FRESH, clock, 0));
      last = upstream.take(parameters);
      for (int slot = 0; slot < slots.size(); slot++) {
        upstream.ask(new Request.Ask(What.SLOT, clock, slot));
        upstream.take(slots.get(slot));
      }
      // Nobody goes on before all have read.
      workers.orElseThrow().barrier();
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /** Steps that this worker has made. */
  public long clock() {
    return clock;
  }

  /** How many steps of the slowest worker were missing from what was pulled, on average. */
  public double meanLag() {
    return clock == 0 ? 0 : (double) lag / clock;
  }

  /** What this rank has sent so far. */
  public TrafficBytes traffic() {
    return traffic.reading();
  }

  /** The end of a worker's part; returns when nobody needs this rank any more. */
  public void finish() {
    try {
      upstream.leave();
    } catch (RuntimeException e) {
      throw explained(e);
    }
    serve();
  }

  /** Serves until all workers have finished: all that a rank does that does not work. */
  public void serve() {
    threads.await();
    finished = true;
  }

  /** The first failure of this rank is the one to tell. */
  private RuntimeException explained(RuntimeException e) {
    failures.fail(e);
    failures.check();
    return e;
  }

  /** After {@link #finish} no thread is left; else threads end with the communicator. */
  @Override
  public void close() {
    if (finished) {
      workers.ifPresent(Communicator::close);
      answers.close();
      requests.close();
    } else {
      failures.fail(
          new WorkFailedException("rank %d has left the parameter servers".formatted(rank)));
    }
  }
}
