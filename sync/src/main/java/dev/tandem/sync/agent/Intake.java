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
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Where the threads that request meet the background thread. Thread-safe; nobody waits here but the
 * background thread. It is woken only by what it waits for: under a plan by the request that
 * completes the awaited buffer.
 */
public final class Intake {

  private final SyncObserver observer;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final Recorder recorder = new Recorder();
  private final PendingRequests pending = new PendingRequests();
  private final FollowedPlan followed = new FollowedPlan();
  // Requests that the agent has not seen: all while it negotiates, strays while it follows a plan.
  private List<Entry> queue = new ArrayList<>();
  private Optional<RequestGraph> proposal = Optional.empty();
  private Optional<Thread> lastRequester = Optional.empty();

  public Intake(SyncObserver observer) {
    this.observer = observer;
  }

  /** Takes requests, all at once. */
  public void add(List<Request> requests) {
    long now = System.nanoTime();
    locked(
        () -> {
          pending.check(requests);
          boolean wakes = false;
          for (Request request : requests) {
            Entry entry = recorder.record(request, now);
            pending.add(entry);
            wakes |= admit(entry);
          }
          followed.arrived(now);
          lastRequester = Optional.of(Thread.currentThread());
          if (wakes) {
            news.signal();
          }
        });
    requests.forEach(request -> observer.requested(request.name(), now));
  }

  /** Puts a request where it belongs; says whether the agent waits for that. */
  private boolean admit(Entry entry) {
    if (followed.put(entry)) {
      return followed.awaitedIsComplete();
    }
    queue.add(entry);
    return true;
  }

  /** The program makes no more requests in this step and is about to wait for the results. */
  public void endStep() {
    locked(
        () -> {
          recorder.endStep();
          if (followed.endStep()) {
            news.signal();
          }
        });
  }

  /** This rank has no more data: it contributes zeros until all ranks have joined. */
  public void join(Completion allJoined) {
    signalling(() -> pending.join(allJoined));
  }

  /** Asks all ranks, which all do this, to plan anew from this graph. */
  public void propose(RequestGraph graph) {
    signalling(() -> proposal = Optional.of(graph));
  }

  /** Asks all ranks to stop. */
  public void shutDown() {
    signalling(pending::shutDown);
  }

  private void signalling(Runnable change) {
    locked(
        () -> {
          change.run();
          news.signal();
        });
  }

  private void locked(Runnable work) {
    lock.lock();
    try {
      work.run();
    } finally {
      lock.unlock();
    }
  }

  private <T> T locked(Supplier<T> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  /** The names of requests that are on their way, for reports. */
  public List<String> pendingNames() {
    return locked(pending::names);
  }

  /** What this rank waits for and does. */
  StallStatus status(boolean last) {
    return locked(() -> StallStatus.of(last, pending.joined(), lastRequester, pending.entries()));
  }

  /** Hands over what has come in. */
  News drain(int stableSteps) {
    return locked(
        () -> {
          List<Entry> entries = queue;
          queue = new ArrayList<>();
          return new News(
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
  void awaitNews(int stableSteps) {
    locked(
        () -> {
          while (queue.isEmpty()
              && !pending.isShutDown()
              && !pending.joined()
              && proposal.isEmpty()
              && !canPlan(stableSteps)) {
            news.awaitUninterruptibly();
          }
        });
  }

  /** From now on requests go into the places of a plan, these first. */
  void enter(FusionPlan plan, List<Entry> waiting) {
    locked(
        () -> {
          followed.enter(plan);
          proposal = Optional.empty();
          List<Entry> entries = new ArrayList<>(waiting);
          entries.addAll(queue);
          queue = new ArrayList<>();
          entries.forEach(this::admit);
        });
  }

  /** There is no plan any more; what is there waits to be negotiated. */
  void leave() {
    locked(
        () -> {
          List<Entry> entries = followed.leave();
          entries.addAll(queue);
          queue = entries;
          recorder.forgetStability();
        });
  }

  /** A plan was not agreed on: stable steps count from here. */
  void planRefused() {
    locked(
        () -> {
          recorder.forgetStability();
          proposal = Optional.empty();
        });
  }

  /** Sleeps until a buffer is complete, or cannot be expected to become so. */
  Verdict awaitBuffer(int buffer, Policy.Leaving leaving) {
    lock.lock();
    try {
      followed.await(buffer);
      while (true) {
        if (pending.isShutDown()) {
          return Verdict.SHUTDOWN;
        }
        if (pending.joined() || proposal.isPresent()) {
          return Verdict.OTHER_PLANS;
        }
        if (followed.awaitedIsComplete()) {
          return Verdict.COMPLETE;
        }
        if (!queue.isEmpty()) {
          return Verdict.UNPLANNED_REQUEST;
        }
        if (!followed.any()) {
          news.awaitUninterruptibly();
          continue;
        }
        long left = followed.nanosLeft(leaving);
        if (left <= 0) {
          return Verdict.MISSING_REQUEST;
        }
        sleep(left);
      }
    } finally {
      lock.unlock();
    }
  }

  @SuppressWarnings("WaitNotInLoop") // It is in that of the caller.
  private void sleep(long nanos) {
    try {
      news.awaitNanos(nanos);
    } catch (InterruptedException e) {
      // Nobody but the synchroniser knows its thread, and it does not interrupt it.
      throw new IllegalStateException(e);
    }
  }

  /** When the last request of a complete buffer was made. */
  long readyNanos(int buffer) {
    return locked(() -> followed.readyNanos(buffer));
  }

  List<Entry> take(int buffer) {
    return locked(() -> followed.take(buffer));
  }

  /** The names that a buffer waits for. */
  List<String> missing(int buffer, FusionPlan plan) {
    return locked(
        () ->
            plan.buffers().get(buffer).stream()
                .map(RequestGraph.Tensor::name)
                .filter(name -> !pending.has(name))
                .toList());
  }

  List<Recorder.Line> lastStep() {
    return locked(() -> recorder.last());
  }

  boolean lastStepHas(List<Recorder.Line> lines) {
    return locked(() -> recorder.lastHas(lines));
  }

  Optional<RequestGraph> proposal() {
    return locked(() -> proposal);
  }

  /** Tells what became of a request; its name may be requested again. */
  void finish(Entry entry, Outcome outcome) {
    locked(
        () -> {
          pending.remove(entry);
          recorder.completed(entry);
        });
    entry.request().completion().done(outcome);
  }

  /** All ranks have joined: they may request again. */
  void allJoined() {
    locked(pending::allJoined).ifPresent(completion -> completion.done(Outcome.completed()));
  }

  /** Ends everything that is pending in the same way, and everything that is requested later. */
  void close(Outcome outcome) {
    List<Completion> waiting =
        locked(
            () -> {
              followed.close();
              queue = new ArrayList<>();
              return pending.close(outcome);
            });
    waiting.forEach(completion -> completion.done(outcome));
  }
}
