package dev.tandem.sync.agent;

import dev.tandem.sync.plan.FusionPlan;
import dev.tandem.sync.plan.RequestGraph;
import dev.tandem.sync.policy.Policy;
import dev.tandem.sync.request.Completion;
import dev.tandem.sync.request.Outcome;
import dev.tandem.sync.request.Request;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private final Map<String, Entry> pending = new HashMap<>();
  // Requests that the agent has not seen: all while it negotiates, strays while it follows a plan.
  private List<Entry> queue = new ArrayList<>();
  private Optional<PlanSlots> slots = Optional.empty();
  private int awaited;
  private long lastArrivalNanos;
  private boolean stepEnded;
  private Optional<Completion> joining = Optional.empty();
  private Optional<RequestGraph> proposal = Optional.empty();
  private Optional<Outcome> closed = Optional.empty();
  private boolean shutdown;
  private Optional<Thread> lastRequester = Optional.empty();

  public Intake(SyncObserver observer) {
    this.observer = observer;
  }

  /** Takes requests, all at once. */
  public void add(List<Request> requests) {
    long now = System.nanoTime();
    locked(
        () -> {
          check(requests);
          boolean wakes = false;
          for (Request request : requests) {
            Entry entry = recorder.record(request, now);
            pending.put(entry.name(), entry);
            wakes |= admit(entry);
          }
          lastArrivalNanos = now;
          stepEnded = false;
          lastRequester = Optional.of(Thread.currentThread());
          if (wakes) {
            news.signal();
          }
        });
    requests.forEach(request -> observer.requested(request.name(), now));
  }

  private void check(List<Request> requests) {
    closed.ifPresent(Outcome::orThrow);
    if (shutdown || joining.isPresent()) {
      throw new IllegalStateException(
          "the synchroniser takes no more requests: it was shut down or has joined");
    }
    for (int i = 0; i < requests.size(); i++) {
      String name = requests.get(i).name();
      if (pending.containsKey(name)
          || requests.subList(0, i).stream().anyMatch(earlier -> earlier.name().equals(name))) {
        throw new IllegalArgumentException(
            "tensor %s is pending already: wait for it before it is requested again"
                .formatted(name));
      }
    }
  }

  /** Puts a request where it belongs; says whether the agent waits for that. */
  private boolean admit(Entry entry) {
    if (slots.isPresent() && slots.get().put(entry)) {
      return slots.get().complete(awaited);
    }
    queue.add(entry);
    return true;
  }

  /** The program makes no more requests in this step and is about to wait for the results. */
  public void endStep() {
    locked(
        () -> {
          recorder.endStep();
          stepEnded = true;
          // Who follows a plan need not know, unless the plan expects more.
          if (slots.isEmpty() || (slots.get().any() && !slots.get().complete(awaited))) {
            news.signal();
          }
        });
  }

  /** This rank has no more data: it contributes zeros until all ranks have joined. */
  public void join(Completion allJoined) {
    signalling(
        () -> {
          closed.ifPresent(Outcome::orThrow);
          if (!pending.isEmpty()) {
            throw new IllegalStateException(
                "%d requests are pending: wait for them before joining".formatted(pending.size()));
          }
          joining = Optional.of(allJoined);
        });
  }

  /** Asks all ranks, which all do this, to plan anew from this graph. */
  public void propose(RequestGraph graph) {
    signalling(() -> proposal = Optional.of(graph));
  }

  /** Asks all ranks to stop. */
  public void shutDown() {
    signalling(() -> shutdown = true);
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
    return locked(() -> List.copyOf(pending.keySet()));
  }

  /** What this rank waits for and does. */
  StallStatus status(boolean last) {
    return locked(
        () -> {
          Map<String, Double> waiting = new LinkedHashMap<>();
          long now = System.nanoTime();
          pending
              .values()
              .forEach(entry -> waiting.put(entry.name(), (now - entry.madeNanos()) / 1e9));
          return new StallStatus(last, joining.isPresent(), Whereabouts.of(lastRequester), waiting);
        });
  }

  /**
   * What is new to an agent that negotiates.
   *
   * @param stable whether this rank could plan from what it has recorded
   * @param proposed whether it has a graph to plan from
   */
  record News(
      List<Entry> entries, boolean shutdown, boolean joined, boolean stable, boolean proposed) {}

  /** Hands over what has come in. */
  News drain(int stableSteps) {
    lock.lock();
    try {
      List<Entry> entries = queue;
      queue = new ArrayList<>();
      return new News(
          entries, shutdown, joining.isPresent(), canPlan(stableSteps), proposal.isPresent());
    } finally {
      lock.unlock();
    }
  }

  private boolean canPlan(int stableSteps) {
    return recorder.stableSteps() >= stableSteps && recorder.betweenSteps() && joining.isEmpty();
  }

  /** Sleeps until there is something to negotiate about. */
  void awaitNews(int stableSteps) {
    locked(
        () -> {
          while (queue.isEmpty()
              && !shutdown
              && joining.isEmpty()
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
          slots = Optional.of(new PlanSlots(plan));
          proposal = Optional.empty();
          List<Entry> entries = new ArrayList<>(waiting);
          entries.addAll(queue);
          queue = new ArrayList<>();
          awaited = 0;
          lastArrivalNanos = System.nanoTime();
          entries.forEach(this::admit);
        });
  }

  /** There is no plan any more; what is there waits to be negotiated. */
  void leave() {
    locked(
        () -> {
          List<Entry> entries = slots.orElseThrow().takeAll();
          entries.addAll(queue);
          queue = entries;
          slots = Optional.empty();
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

  /** Why a plan is left, or that it goes on. */
  enum Verdict {
    COMPLETE,
    UNPLANNED_REQUEST,
    MISSING_REQUEST,
    OTHER_PLANS,
    SHUTDOWN
  }

  /** Sleeps until a buffer is complete, or cannot be expected to become so. */
  Verdict awaitBuffer(int buffer, Policy.Leaving leaving) {
    lock.lock();
    try {
      awaited = buffer;
      while (true) {
        PlanSlots places = slots.orElseThrow();
        if (shutdown) {
          return Verdict.SHUTDOWN;
        }
        if (joining.isPresent() || proposal.isPresent()) {
          return Verdict.OTHER_PLANS;
        }
        if (places.complete(buffer)) {
          return Verdict.COMPLETE;
        }
        if (!queue.isEmpty()) {
          return Verdict.UNPLANNED_REQUEST;
        }
        if (!places.any()) {
          news.awaitUninterruptibly();
          continue;
        }
        long patience = (stepEnded ? leaving.patienceAtStepEnd() : leaving.patience()).toNanos();
        long left = lastArrivalNanos + patience - System.nanoTime();
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

  List<Entry> take(int buffer) {
    return locked(() -> slots.orElseThrow().take(buffer));
  }

  /** The names that a buffer waits for. */
  List<String> missing(int buffer, FusionPlan plan) {
    return locked(
        () ->
            plan.buffers().get(buffer).stream()
                .map(RequestGraph.Tensor::name)
                .filter(name -> !pending.containsKey(name))
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
          pending.remove(entry.name());
          recorder.completed(entry);
        });
    entry.request().completion().done(outcome);
  }

  /** All ranks have joined: they may request again. */
  void allJoined() {
    Optional<Completion> waiting;
    lock.lock();
    try {
      waiting = joining;
      joining = Optional.empty();
    } finally {
      lock.unlock();
    }
    waiting.ifPresent(completion -> completion.done(Outcome.completed()));
  }

  /** Ends everything that is pending in the same way, and everything that is requested later. */
  void close(Outcome outcome) {
    List<Completion> waiting = new ArrayList<>();
    locked(
        () -> {
          closed = Optional.of(outcome);
          pending.values().forEach(entry -> waiting.add(entry.request().completion()));
          joining.ifPresent(waiting::add);
          pending.clear();
          joining = Optional.empty();
          slots = Optional.empty();
          queue = new ArrayList<>();
        });
    waiting.forEach(completion -> completion.done(outcome));
  }
}
