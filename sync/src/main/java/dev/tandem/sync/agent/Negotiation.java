package dev.tandem.sync.agent;

import dev.tandem.sync.agent.ResponseCache.Lookup;
import dev.tandem.sync.plan.RequestGraph.Tensor;
import dev.tandem.sync.policy.Policy;
import dev.tandem.sync.request.Outcome;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The baseline: cycles in which ranks find out what all of them have asked for.
 *
 * <p>Each cycle begins with one conjunction over all ranks of a few status bits and one bit for
 * every cached response that the rank asks for. If everything is cached, what all ask for is
 * transferred in the order of the bits. Else ranks send what they lack to rank 0, which answers
 * with the tensors that all have asked for, in the order in which they were first asked for;
 * everybody caches them.
 */
final class Negotiation implements Mode {

  // Set by a rank that does not object, so that the conjunction says whether one does.
  private static final int NOBODY_SHUTS_DOWN = 0;
  private static final int NOBODY_UNCACHED = 1;
  private static final int NOBODY_INVALID = 2;
  // Set by a rank that agrees.
  private static final int ALL_JOINED = 3;
  private static final int ALL_STABLE = 4;
  private static final int ALL_PROPOSE = 5;
  private static final int FIRST_CACHED = Long.SIZE;

  /** Nobody plans. */
  private static final int NEVER = Integer.MAX_VALUE;

  private final Policy.Negotiated policy;
  private final RequestQueue queue;
  private final ControlPlane control;
  private final Transfers transfers;
  private final Optional<PlanAgreement> planning;
  private final Cycle cycle;
  private final ResponseCache cache;
  private final Coordinator coordinator;
  // Requests of this rank that are not transferred yet; of these, those that rank 0 knows.
  private final Map<String, PendingRequest> open = new LinkedHashMap<>();
  private final Set<String> asked = new HashSet<>();
  private boolean joinTold;

  Negotiation(
      Policy.Negotiated policy,
      RequestQueue queue,
      ControlPlane control,
      Transfers transfers,
      CycleSleep sleep,
      SyncObserver observer,
      Optional<PlanAgreement> planning) {
    this.policy = policy;
    this.queue = queue;
    this.control = control;
    this.transfers = transfers;
    this.planning = planning;
    this.cycle = new Cycle(policy, control, sleep, observer);
    this.cache = new ResponseCache(policy.cacheEntries());
    this.coordinator = new Coordinator(control.size());
  }

  private int stableSteps() {
    return planning.map(PlanAgreement::stableSteps).orElse(NEVER);
  }

  @Override
  public void awaitWork() {
    if (policy.eagerness() == Policy.Eagerness.WITH_REQUESTS && open.isEmpty()) {
      queue.awaitRequests(stableSteps());
    }
    cycle.await();
  }

  @Override
  public Optional<Mode> work() {
    cycle.begin();
    CycleInput input = queue.drain(stableSteps());
    input.entries().forEach(entry -> open.put(entry.name(), entry));

    BitSet bits = synchronise(input);
    if (!bits.get(NOBODY_SHUTS_DOWN)) {
      queue.close(new Outcome.Aborted("a rank has shut the synchroniser down"));
      return Optional.empty();
    }
    if (bits.get(ALL_JOINED)) {
      joinTold = false;
      queue.allJoined();
      return Optional.of(this);
    }
    if (bits.get(ALL_PROPOSE) || bits.get(ALL_STABLE)) {
      Optional<Mode> planned = plan(bits.get(ALL_PROPOSE));
      if (planned.isPresent()) {
        return planned;
      }
    }
    if (!bits.get(NOBODY_INVALID)) {
      eraseInvalid();
    }
    List<Response> responses = cachedByAll(bits);
    if (!bits.get(NOBODY_UNCACHED) || !bits.get(NOBODY_INVALID)) {
      responses.addAll(askRankZero(input.joined()));
    }
    for (List<Response> group : Fusion.fuse(responses, policy.fusionBytes())) {
      execute(group);
    }
    // A rank that has joined waits for steps of others, in which it takes part at once.
    if (open.isEmpty() && !input.joined()) {
      cycle.served();
    }
    return Optional.of(this);
  }

  /** The bits of all ranks, after what this rank has to say. */
  private BitSet synchronise(CycleInput input) {
    BitSet bits = new BitSet();
    bits.set(NOBODY_SHUTS_DOWN, !input.shutdown());
    bits.set(ALL_JOINED, input.joined());
    bits.set(ALL_STABLE, input.stable());
    bits.set(ALL_PROPOSE, input.proposed() && planning.isPresent());
    // Rank 0 must hear once that this rank has joined: others may wait for nobody else.
    boolean uncached = input.joined() && !joinTold;
    boolean invalid = false;
    for (PendingRequest entry : open.values()) {
      Lookup lookup = cache.lookup(tensor(entry));
      uncached |= lookup == Lookup.MISS && !asked.contains(entry.name());
      invalid |= lookup == Lookup.INVALID;
      if (lookup == Lookup.HIT) {
        bits.set(FIRST_CACHED + cache.number(entry.name()));
      }
    }
    bits.set(NOBODY_UNCACHED, !uncached);
    bits.set(NOBODY_INVALID, !invalid);
    if (input.joined()) {
      // Has nothing to ask and objects to nothing.
      cache.taken().stream().forEach(number -> bits.set(FIRST_CACHED + number));
    }
    long[] words = words(bits, FIRST_CACHED + cache.end());
    control.and(words);
    return BitSet.valueOf(words);
  }

  private static long[] words(BitSet bits, int length) {
    long[] words = new long[Math.ceilDiv(length, Long.SIZE)];
    long[] set = bits.toLongArray();
    System.arraycopy(set, 0, words, 0, set.length);
    return words;
  }

  /** Everybody forgets what somebody asks for with another signature. */
  private void eraseInvalid() {
    BitSet invalid = new BitSet();
    for (PendingRequest entry : open.values()) {
      if (cache.lookup(tensor(entry)) == Lookup.INVALID) {
        invalid.set(cache.number(entry.name()));
      }
    }
    long[] words = words(invalid, Math.max(1, cache.end()));
    control.or(words);
    BitSet.valueOf(words).stream().forEach(cache::erase);
  }

  /** What all ranks have cached and ask for, in the order of its numbers. */
  private List<Response> cachedByAll(BitSet bits) {
    BitSet common = bits.get(FIRST_CACHED, FIRST_CACHED + cache.end());
    common.and(cache.taken());
    List<Response> responses = new ArrayList<>();
    common.stream()
        .forEach(
            number -> {
              cache.use(number);
              responses.add(Response.of(cache.tensor(number)));
            });
    return responses;
  }

  /** Sends what is not cached to rank 0 and gets back what all ranks have asked for. */
  private List<Response> askRankZero(boolean joined) {
    List<Tensor> wanted = new ArrayList<>();
    for (PendingRequest entry : open.values()) {
      if (cache.lookup(tensor(entry)) == Lookup.MISS && asked.add(entry.name())) {
        wanted.add(tensor(entry));
      }
    }
    joinTold = joined;
    List<byte[]> lists = control.gather(Messages.encode(new Messages.Wanted(joined, wanted)));
    for (int rank = 0; rank < lists.size(); rank++) {
      Messages.Wanted list = Messages.wanted(lists.get(rank));
      coordinator.receive(rank, list.joined(), list.tensors());
    }
    List<Response> ready = control.rank() == 0 ? coordinator.ready() : List.of();
    List<Response> responses =
        Messages.responses(control.broadcast(Messages.encodeResponses(ready)));
    for (Response response : responses) {
      asked.remove(response.tensor().name());
      if (!response.failed()) {
        cache.put(response.tensor());
      }
    }
    return responses;
  }

  private void execute(List<Response> group) {
    List<Tensor> tensors = group.stream().map(Response::tensor).toList();
    List<Optional<PendingRequest>> entries =
        tensors.stream().map(tensor -> Optional.ofNullable(open.remove(tensor.name()))).toList();
    if (group.getFirst().failed()) {
      Outcome failed = new Outcome.Failed(new IllegalArgumentException(group.getFirst().error()));
      entries.forEach(entry -> entry.ifPresent(present -> queue.finish(present, failed)));
    } else {
      transfers.run(tensors, entries);
    }
  }

  private Optional<Mode> plan(boolean proposed) {
    return planning
        .orElseThrow()
        .agree(proposed)
        .map(
            plan -> {
              queue.enter(plan, List.copyOf(open.values()));
              open.clear();
              asked.clear();
              coordinator.clear();
              return new PlannedTransfers(plan, planning.get(), this);
            });
  }

  private static Tensor tensor(PendingRequest entry) {
    return new Tensor(entry.name(), entry.signature());
  }
}
