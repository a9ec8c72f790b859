package dev.tandem.sync.agent;

import dev.tandem.sync.plan.FusionPlan;
import dev.tandem.sync.plan.RequestGraph;
import dev.tandem.sync.policy.Policy;
import dev.tandem.sync.request.Completion;
import dev.tandem.sync.request.Outcome;
import dev.tandem.sync.request.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.Condition;

/**
 * Where the threads that request meet the background thread. Thread-safe; only the background
 * thread waits here. It is woken only by what it waits for: under a plan by the request that
 * completes the awaited buffer.
 */
public final class RequestQueue {

  private final SyncObserver observer;
  private final Locked lock = new Locked();
  // Signalled when the background thread has something to look at.
  private final Condition changed = lock.condition();
  private final Recorder recorder = new Recorder();
  private final PendingRequests pending = new PendingRequests();
  private final FollowedPlan followed;
  // Requests that the agent has not seen: all while it negotiates, strays while it follows a plan.
  private List<PendingRequest> queue = new ArrayList<>();
  private Optional<RequestGraph> proposal = Optional.empty();
  private Optional<Thread> lastRequester = Optional.empty();
  private volatile long goesOnNanos;

  /**
   * For one synchroniser.
   *
   * @param deferring whether transfers of a plan are left to the program, if it waits for them
   */
  public RequestQueue(SyncObserver observer, boolean deferring) {
    this.observer = observer;
    this.followed = new FollowedPlan(deferring);
  }

  /** Takes requests, all at once. */
  public void add(List<Request> requests) {
    long now = System.nanoTime();
    lock.locked(
        () -> {
          pending.check(requests);
          boolean wakes = false;
          for (Request request : requests) {
            PendingRequest entry = recorder.record(request, now);
            pending.add(entry);
            wakes |= admit(entry);
          }
          followed.arrived(now);
          lastRequester = Optional.of(Thread.currentThread());
          // Waking it costs more than what it would do, if the program is about to do that.
          if (wakes && !(queue.isEmpty() && followed.expectsProgram())) {
            changed.signal();
          }
        });
    // The thread that was woken may have taken this core: the program goes on only now.
    goesOnNanos = System.nanoTime();
    requests.forEach(request -> observer.requested(request.name(), now));
  }

  /** Puts a request where it belongs; says whether the agent waits for that. */
  private boolean admit(PendingRequest entry) {
    if (followed.put(entry)) {
      return followed.awaitedIsComplete();
    }
    queue.add(entry);
    return true;
  }

  /** The program makes no more requests in this step and is about to wait for the results. */
  public void endStep() {
    lock.locked(
        () -> {
          recorder.endStep();
          if (followed.endStep(System.nanoTime() - goesOnNanos)) {
            changed.signal();
          }
        });
  }

  /** This rank has no more data: it contributes zeros until all ranks have joined. */
  public void join(Completion allJoined) {
    signalling(() -> pending.join(allJoined));
  }

  /** Asks all ranks, which all do this, to plan again from this graph. */
  public void propose(RequestGraph graph) {
    signalling(() -> proposal = Optional.of(graph));
  }

  /** Asks all ranks to stop. */
  public void shutDown() {
    signalling(pending::shutDown);
  }

  private void signalling(Runnable change) {
    lock.locked(
        () -> {
          change.run();
          changed.signal();
        });
  }

  /** The names of requests that are on their way, for reports. */
  public List<String> pendingNames() {
    return lock.locked(pending::names);
  }

  /** What this rank waits for and does. */
  StallStatus status(boolean last) {
    return lock.locked(
        () -> StallStatus.of(last, pending.joined(), lastRequester, pending.entries()));
  }

  /** Hands over what has come in. */
  CycleInput drain(int stableSteps) {
    return lock.locked(
        () -> {
          List<PendingRequest> entries = queue;
          queue = new ArrayList<>();
          return new CycleInput(
              entries,
              pending.isShutDown(),
              pending.joined(),
              canPlan(stableSteps),
              proposal.isPresent());
        });
  }

  private boolean canPlan(int stableSteps) {
    return recorder.stableSteps() >= stableSteps && recorder.betweenSteps() && !pending.joined();
  }

  /** Sleeps until there is something to negotiate about. */
  void awaitRequests(int stableSteps) {
    lock.locked(
        () -> {
          while (queue.isEmpty()
              && !pending.isShutDown()
              && !otherPlans()
              && !canPlan(stableSteps)) {
            sleep(FollowedPlan.FOREVER);
          }
        });
  }

  /** From now on requests go into the places of a plan, these first. */
  void enter(FusionPlan plan, List<PendingRequest> waiting) {
    lock.locked(
        () -> {
          followed.enter(plan);
          proposal = Optional.empty();
          List<PendingRequest> entries = new ArrayList<>(waiting);
          entries.addAll(queue);
          queue = new ArrayList<>();
          entries.forEach(this::admit);
        });
  }

  /** There is no plan any more; what is there waits to be negotiated. */
  void leave() {
    lock.locked(
        () -> {
          List<PendingRequest> entries = followed.leave();
          entries.addAll(queue);
          queue = entries;
          recorder.forgetStability();
        });
  }

  /** A plan was not agreed on: stable steps count from here. */
  void planRefused() {
    lock.locked(
        () -> {
          recorder.forgetStability();
          proposal = Optional.empty();
        });
  }

  /**
   * Sleeps until the awaited buffer is complete or cannot be expected to become so, or until there
   * is no plan any more. Says when the last request of the buffer was made, if it is complete.
   */
  OptionalLong awaitBuffer(Policy.Leaving leaving) {
    return lock.locked(
        () -> {
          while (followed.active() && state(leaving).isEmpty()) {
            sleep(followed.sleepNanos(leaving));
          }
          return followed.readyNanos();
        });
  }

  @SuppressWarnings("WaitNotInLoop") // It is in that of the caller.
  private void sleep(long nanos) {
    try {
      changed.awaitNanos(nanos);
    } catch (InterruptedException e) {
      // Only the synchroniser knows its thread, and it does not interrupt it.
      throw new IllegalStateException(e);
    }
  }

  /** What is to be done about the awaited buffer; empty if that is waiting. */
  Optional<BufferState> bufferState(Policy.Leaving leaving) {
    return lock.locked(() -> state(leaving));
  }

  private Optional<BufferState> state(Policy.Leaving leaving) {
    if (pending.isShutDown()) {
      return Optional.of(BufferState.SHUTDOWN);
    }
    if (otherPlans()) {
      return Optional.of(BufferState.OTHER_PLANS);
    }
    boolean complete = followed.awaitedIsComplete();
    if (!complete && !queue.isEmpty()) {
      return Optional.of(BufferState.UNPLANNED_REQUEST);
    }
    if (followed.any() && followed.nanosLeft(leaving) <= 0) {
      return Optional.of(complete ? BufferState.COMPLETE : BufferState.MISSING_REQUEST);
    }
    return Optional.empty();
  }

  private boolean otherPlans() {
    return pending.joined() || proposal.isPresent();
  }

  /**
   * The program waits for results: from here until its next request no transfer is left to it.
   *
   * @return whether the awaited buffer is complete, so that the program can transfer it itself
   */
  boolean programWaits() {
    return lock.locked(followed::programWaits);
  }

  /** The program transfers no more by itself: what is left is the background thread's. */
  void programLeaves() {
    lock.locked(
        () -> {
          if (followed.busy() || !queue.isEmpty() || pending.isShutDown() || otherPlans()) {
            changed.signal();
          }
        });
  }

  List<PendingRequest> take(int buffer) {
    return lock.locked(() -> followed.take(buffer));
  }

  /** The names that a buffer waits for. */
  List<String> missing(int buffer, FusionPlan plan) {
    return lock.locked(() -> pending.lacking(plan.buffers().get(buffer)));
  }

  List<Recorder.Line> lastStep() {
    return lock.locked(recorder::last);
  }

  boolean lastStepHas(List<Recorder.Line> lines) {
    return lock.locked(() -> recorder.lastHas(lines));
  }

  Optional<RequestGraph> proposal() {
    return lock.locked(() -> proposal);
  }

  /** Tells what became of a request; its name may be requested again. */
  void finish(PendingRequest entry, Outcome outcome) {
    lock.locked(
        () -> {
          pending.remove(entry);
          recorder.completed(entry);
        });
    entry.request().completion().done(outcome);
  }

  /** All ranks have joined: they may request again. */
  void allJoined() {
    lock.locked(pending::allJoined).ifPresent(completion -> completion.done(Outcome.completed()));
  }

  /** Ends everything that is pending in the same way, and everything that is requested later. */
  void close(Outcome outcome) {
    List<Completion> waiting =
        lock.locked(
            () -> {
              followed.close();
              queue = new ArrayList<>();
              return pending.close(outcome);
            });
    waiting.forEach(completion -> completion.done(outcome));
  }
}
