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

/**
 * Where the threads that request meet the background thread. Thread-safe; nobody waits here but the
 * background thread. It is woken only by what it waits for: under a plan by the request that
 * completes the awaited buffer. Meanwhile a thread that waits for results may borrow its helm.
 */
public final class Intake {

  private final SyncObserver observer;
  private final Guard guard = new Guard();
  private final Helm helm = new Helm(guard.condition());
  private final Recorder recorder = new Recorder();
  private final PendingRequests pending = new PendingRequests();
  private final FollowedPlan followed;
  // Requests that the agent has not seen: all while it negotiates, strays while it follows a plan.
  private List<Entry> queue = new ArrayList<>();
  private Optional<RequestGraph> proposal = Optional.empty();
  private Optional<Thread> lastRequester = Optional.empty();
  private volatile long goesOnNanos;

  /**
   * For one synchroniser.
   *
   * @param deferring whether transfers of a plan are left to the program, if it waits for them
   */
  public Intake(SyncObserver observer, boolean deferring) {
    this.observer = observer;
    this.followed = new FollowedPlan(deferring);
  }

  /** Takes requests, all at once. */
  public void add(List<Request> requests) {
    long now = System.nanoTime();
    guard.locked(
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
          // Waking it costs more than what it would do, if the program is about to do that.
          if (wakes && !(queue.isEmpty() && helm.napping() && followed.expectsProgram())) {
            helm.wake();
          }
        });
    // Whom it woke may have taken its core meanwhile: the program goes on only now.
    goesOnNanos = System.nanoTime();
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
    guard.locked(
        () -> {
          recorder.endStep();
          boolean wakes = followed.endStep(System.nanoTime() - goesOnNanos);
          // Who is to be left asleep from now on must look around now and then.
          if (wakes || (followed.prompt() && helm.sleepsOn())) {
            helm.wake();
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
    guard.locked(
        () -> {
          change.run();
          helm.wake();
        });
  }

  /** The names of requests that are on their way, for reports. */
  public List<String> pendingNames() {
    return guard.locked(pending::names);
  }

  /** What this rank waits for and does. */
  StallStatus status(boolean last) {
    return guard.locked(
        () -> StallStatus.of(last, pending.joined(), lastRequester, pending.entries()));
  }

  /** Hands over what has come in. */
  News drain(int stableSteps) {
    return guard.locked(
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
    guard.locked(
        () -> {
          while (queue.isEmpty()
              && !pending.isShutDown()
              && !otherPlans()
              && !canPlan(stableSteps)) {
            helm.sleep(Helm.FOREVER);
          }
        });
  }

  /**
   * From now on requests go into the places of a plan, these first.
   *
   * @param lending whether other threads may do its transfers
   */
  void enter(FusionPlan plan, boolean lending, List<Entry> waiting) {
    guard.locked(
        () -> {
          followed.enter(plan, lending);
          proposal = Optional.empty();
          List<Entry> entries = new ArrayList<>(waiting);
          entries.addAll(queue);
          queue = new ArrayList<>();
          entries.forEach(this::admit);
        });
  }

  /** There is no plan any more; what is there waits to be negotiated. */
  void leave() {
    guard.locked(
        () -> {
          List<Entry> entries = followed.leave();
          entries.addAll(queue);
          queue = entries;
          recorder.forgetStability();
        });
  }

  /** A plan was not agreed on: stable steps count from here. */
  void planRefused() {
    guard.locked(
        () -> {
          recorder.forgetStability();
          proposal = Optional.empty();
        });
  }

  /**
   * Sleeps until the awaited buffer is complete, or cannot be expected to become so. Empty if
   * another thread had the helm meanwhile: nothing is as it was.
   */
  Optional<Verdict> awaitBuffer(Policy.Leaving leaving) {
    return guard.locked(
        () -> {
          long turn = helm.turn();
          while (helm.turn() == turn) {
            Optional<Verdict> verdict = verdict(leaving);
            if (verdict.isPresent()) {
              return verdict;
            }
            helm.sleep(followed.sleepNanos(leaving));
          }
          helm.awaitHandBack();
          return Optional.empty();
        });
  }

  private Optional<Verdict> verdict(Policy.Leaving leaving) {
    if (pending.isShutDown()) {
      return Optional.of(Verdict.SHUTDOWN);
    }
    if (otherPlans()) {
      return Optional.of(Verdict.OTHER_PLANS);
    }
    boolean complete = followed.awaitedIsComplete();
    if (!complete && !queue.isEmpty()) {
      return Optional.of(Verdict.UNPLANNED_REQUEST);
    }
    // Who has borrowed the helm does not wait.
    if (followed.any() && (helm.lent() || followed.nanosLeft(leaving) <= 0)) {
      return Optional.of(complete ? Verdict.COMPLETE : Verdict.MISSING_REQUEST);
    }
    return Optional.empty();
  }

  private boolean otherPlans() {
    return pending.joined() || proposal.isPresent();
  }

  /** Wakes the background thread: who was expected to work will not. */
  void declineHelm() {
    guard.locked(
        () -> {
          followed.expectNobody();
          helm.wake();
        });
  }

  /** Lends the helm to the calling thread, if the background thread sleeps and there is work. */
  boolean lendHelm() {
    return guard.locked(
        () -> {
          boolean lent = followed.lends() && helm.lend();
          if (!lent) {
            followed.expectNobody();
          }
          return lent;
        });
  }

  /** Whether who has borrowed the helm can go on without waiting for the program. */
  boolean workIsThere() {
    return guard.locked(followed::lends);
  }

  /** Who had borrowed the helm is done with it. */
  void handBackHelm() {
    guard.locked(
        () -> {
          helm.handBack();
          // What was signalled meanwhile nobody has heard.
          if (followed.busy() || !queue.isEmpty() || pending.isShutDown() || otherPlans()) {
            helm.wake();
          }
        });
  }

  /** When the last request of a complete buffer was made. */
  long readyNanos(int buffer) {
    return guard.locked(() -> followed.readyNanos(buffer));
  }

  List<Entry> take(int buffer) {
    return guard.locked(() -> followed.take(buffer));
  }

  /** The names that a buffer waits for. */
  List<String> missing(int buffer, FusionPlan plan) {
    return guard.locked(() -> pending.lacking(plan.buffers().get(buffer)));
  }

  List<Recorder.Line> lastStep() {
    return guard.locked(recorder::last);
  }

  boolean lastStepHas(List<Recorder.Line> lines) {
    return guard.locked(() -> recorder.lastHas(lines));
  }

  Optional<RequestGraph> proposal() {
    return guard.locked(() -> proposal);
  }

  /** Tells what became of a request; its name may be requested again. */
  void finish(Entry entry, Outcome outcome) {
    guard.locked(
        () -> {
          pending.remove(entry);
          recorder.completed(entry);
        });
    entry.request().completion().done(outcome);
  }

  /** All ranks have joined: they may request again. */
  void allJoined() {
    guard.locked(pending::allJoined).ifPresent(completion -> completion.done(Outcome.completed()));
  }

  /** Ends everything that is pending in the same way, and everything that is requested later. */
  void close(Outcome outcome) {
    List<Completion> waiting =
        guard.locked(
            () -> {
              followed.close();
              queue = new ArrayList<>();
              return pending.close(outcome);
            });
    waiting.forEach(completion -> completion.done(outcome));
  }
}
