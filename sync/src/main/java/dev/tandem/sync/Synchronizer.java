package dev.tandem.sync;

import dev.tandem.comm.Communicator;
import dev.tandem.core.TensorView;
import dev.tandem.core.WorkFailedException;
import dev.tandem.sync.agent.CycleSleep;
import dev.tandem.sync.agent.GradientMemory;
import dev.tandem.sync.agent.RequestQueue;
import dev.tandem.sync.agent.StallInspector;
import dev.tandem.sync.agent.SyncAgent;
import dev.tandem.sync.agent.SyncObserver;
import dev.tandem.sync.compress.Ledger;
import dev.tandem.sync.compress.Volume;
import dev.tandem.sync.cores.CorePartition;
import dev.tandem.sync.cores.Role;
import dev.tandem.sync.cores.ThreadPlacement;
import dev.tandem.sync.plan.RequestGraph;
import dev.tandem.sync.policy.Partitioning;
import dev.tandem.sync.policy.Policy;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.sync.request.GradientRule;
import dev.tandem.sync.request.Request;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The synchroniser of data-parallel training: takes named requests from any thread, and a
 * background thread transfers them while the program goes on. What is left when the program waits
 * for results the waiting thread transfers itself, if ranks follow a plan; where no core is free
 * for the background thread, that is everything.
 *
 * <p>Each rank of a communicator, or of a group, makes one, at the same place in the order of its
 * operations and with the same options. It forms a group of its own, so it never disturbs other
 * users of the communicator; synchronisers of different groups never wait for each other. Close it
 * before the communicator.
 *
 * <p>All methods may be called by any thread; one thread at a time ends steps by {@link #await}.
 */
public final class Synchronizer implements GradientSynchronizer, AutoCloseable {

  /** How long closing waits for ranks that have not closed theirs. */
  private static final Duration CLOSING = Duration.ofSeconds(5);

  private final Communicator group;
  private final SyncOptions options;
  private final RequestQueue queue;
  private final CorePartition partition;
  private final ThreadPlacement placement;
  private final CycleSleep sleep;
  private final SyncAgent agent;
  private final Thread thread;
  private final StallInspector stalls;
  private final Results step = new Results();
  private final GradientRule rule;
  private final Ledger ledger = new Ledger();
  private final AtomicBoolean closed = new AtomicBoolean();

  private Synchronizer(Communicator group, Communicator reports, Builder builder) {
    this.group = group;
    this.options = builder.options;
    this.rule = builder.rule;
    ledger.residuals().prepare(builder.gradients, rule.compression());
    this.queue = new RequestQueue(builder.observer, builder.defers());
    this.partition =
        CorePartition.of(
            options.partitioning(), builder.communicator.topology(), builder.communicator.rank());
    this.placement = new ThreadPlacement(partition);
    if (!(options.policy() instanceof Policy.Negotiated)) {
      builder.graph.ifPresent(queue::propose);
    }
    builder.observer.began();
    this.sleep = new CycleSleep(builder.defers());
    this.agent =
        new SyncAgent(
            group, options.policy(), queue, sleep, builder.observer, builder.memory, ledger);
    this.thread =
        options.threading().builder().name("tandem-sync-" + reports.rank()).start(this::runAll);
    this.stalls =
        new StallInspector(reports, queue, options.stallAfter(), options.stallAbort(), builder.log);
    if (options.partitioning() != Partitioning.NONE) {
      String line = "sync: %s: %s".formatted(options.partitionedCode(), partition.summary());
      builder.observer.remark(line);
      if (reports.rank() == 0) {
        builder.log.accept(line);
      }
    }
  }

  /**
   * Whether planned transfers are left to the thread that waits for them. On one host a transfer is
   * work of cores and nothing else; if the background thread has none of its own it takes that of
   * the program, in many small pieces, since ranks take turns in a transfer.
   *
   * @param ranks of the synchroniser
   * @param local those of them on this rank's host
   * @param cores of this rank's host
   */
  static boolean defers(int ranks, int local, int cores) {
    return local == ranks && cores < 2 * ranks;
  }

  private void runAll() {
    partition.enter(Role.BACKGROUND);
    while (agent.doWork()) {
      // What there is to do is in doWork, including sleep.
    }
  }

  /** A synchroniser for these ranks, not started yet. */
  public static Builder over(Communicator communicator, SyncOptions options) {
    return new Builder(communicator, options);
  }

  /** Settings of a synchroniser that has not started yet. */
  public static final class Builder {

    private final Communicator communicator;
    private final SyncOptions options;
    private Optional<RequestGraph> graph = Optional.empty();
    private Optional<GradientMemory> memory = Optional.empty();
    private List<TensorView> gradients = List.of();
    private GradientRule rule = GradientRule.SUM;
    private SyncObserver observer = SyncObserver.NONE;
    private Consumer<String> log = line -> System.err.println("tandem: " + line);

    private Builder(Communicator communicator, SyncOptions options) {
      this.communicator = communicator;
      this.options = options;
    }

    /** What a step requests, so that policies that plan need not record it first. */
    public Builder planning(RequestGraph steps) {
      graph = Optional.of(steps);
      return this;
    }

    /**
     * Where gradients lie, if they lie in one buffer: fused ones are then reduced in place.
     * Borrowed until the synchroniser is closed.
     */
    public Builder gradients(MemorySegment buffer, List<TensorView> slices) {
      memory = Optional.of(new GradientMemory(buffer, slices));
      gradients = List.copyOf(slices);
      return this;
    }

    /**
     * What becomes of submitted gradients; the same on all ranks. By default they are summed as
     * they are. A graph to plan from must have been made with the same rule.
     */
    public Builder treating(GradientRule gradientRule) {
      rule = gradientRule;
      return this;
    }

    public Builder observedBy(SyncObserver watching) {
      observer = watching;
      return this;
    }

    /**
     * Where lines about stalled tensors and cores go, on rank 0; by default to the error stream.
     */
    public Builder reporting(Consumer<String> lines) {
      log = lines;
      return this;
    }

    private boolean defers() {
      int local = communicator.topology().localSize(communicator.rank());
      return Synchronizer.defers(
          communicator.size(), local, Runtime.getRuntime().availableProcessors());
    }

    /** Starts; all ranks do this at the same time. */
    public Synchronizer start() {
      int[] everyone = IntStream.range(0, communicator.size()).toArray();
      Communicator group =
          options.policy() instanceof Policy.Negotiated negotiated
              ? communicator.group(negotiated.waiting().policy(), everyone)
              : communicator.group(everyone);
      return new Synchronizer(group, communicator.group(everyone), this);
    }
  }

  public SyncOptions options() {
    return options;
  }

  @Override
  public void submit(TensorView gradient, float weight) {
    step.expect();
    try {
      queue.add(List.of(Request.gradient(gradient, rule, weight, step)));
    } catch (RuntimeException e) {
      step.unexpect();
      throw e;
    }
  }

  /**
   * Returns when every gradient that was submitted holds the weighted sum over all ranks; throws
   * what kept one from it, such as {@link dev.tandem.core.PeerLostException}.
   */
  @Override
  public void await() {
    queue.endStep();
    await(step);
    ledger.residuals().endStep();
    placement.endStep();
  }

  /** Waits for results, and does what can be done for them meanwhile. */
  private void await(Results results) {
    sleep.programWaits();
    try {
      agent.carryOut(results::complete);
      results.await();
    } finally {
      sleep.programContinues();
    }
  }

  @Override
  public List<TensorView> residuals() {
    return ledger.residuals().views();
  }

  @Override
  public void undo() {
    ledger.residuals().undo();
  }

  @Override
  public Volume volume() {
    return ledger.volume();
  }

  /**
   * Takes requests, all at once. Their completions are called by its background thread or by a
   * thread that waits in {@link #await} or {@link #sum}; they must not wait for such a thread.
   */
  public void request(List<Request> requests) {
    queue.add(requests);
  }

  /** Takes a request. */
  public void request(Request request) {
    request(List.of(request));
  }

  /** Sums a tensor over all ranks and waits for it, in the middle of a step. */
  @Override
  public void sum(TensorView tensor) {
    Results results = new Results();
    results.expect();
    request(Request.sum(tensor, results));
    await(results);
  }

  /**
   * This rank has no more data. It contributes zeros to what others request, until all ranks have
   * joined; then it returns, and all may go on.
   */
  public void join() {
    Results results = new Results();
    results.expect();
    queue.join(results);
    sleep.programWaits();
    try {
      results.await();
    } finally {
      sleep.programContinues();
    }
  }

  /** What steps request from now on; all ranks say so between the same steps. */
  public void plan(RequestGraph graph) {
    if (!(options.policy() instanceof Policy.Negotiated)) {
      queue.propose(graph);
    }
  }

  /** The names of requests that are on their way. */
  public List<String> pending() {
    return queue.pendingNames();
  }

  /**
   * Stops the synchronisers of all ranks; completions of what is pending get {@link
   * dev.tandem.sync.request.Outcome.Aborted}.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    queue.shutDown();
    sleep.programWaits();
    try {
      if (thread.join(CLOSING)) {
        group.close();
      }
      // Else other ranks are gone or stuck; the thread ends with the communicator.
      stalls.close();
      placement.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while the synchroniser was closing", e);
    }
  }
}
