package dev.tandem.sync.agent;

import dev.tandem.sync.plan.RequestGraph.Tensor;
import dev.tandem.sync.request.Completion;
import dev.tandem.sync.request.Outcome;
import dev.tandem.sync.request.Request;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What this rank has asked for and has no answer to: requests by name, and whether it has joined.
 *
 * <p>Guarded by the lock of the {@link RequestQueue}.
 */
final class PendingRequests {

  private final Map<String, PendingRequest> entries = new HashMap<>();
  private Optional<Completion> joining = Optional.empty();
  private Optional<Outcome> closed = Optional.empty();
  private boolean shutdown;

  /** Refuses requests that cannot be taken, all of them if there is one. */
  void check(List<Request> requests) {
    closed.ifPresent(Outcome::orThrow);
    if (shutdown || joining.isPresent()) {
      throw new IllegalStateException(
          "the synchroniser takes no more requests: it was shut down or has joined");
    }
    for (int i = 0; i < requests.size(); i++) {
      String name = requests.get(i).name();
      if (entries.containsKey(name)
          || requests.subList(0, i).stream().anyMatch(earlier -> earlier.name().equals(name))) {
        throw new IllegalArgumentException(
            "tensor %s is pending already: wait for it before it is requested again"
                .formatted(name));
      }
    }
  }

  void add(PendingRequest entry) {
    entries.put(entry.name(), entry);
  }

  void remove(PendingRequest entry) {
    entries.remove(entry.name());
  }

  /** The names of those tensors that were not asked for. */
  List<String> lacking(List<Tensor> tensors) {
    return tensors.stream().map(Tensor::name).filter(name -> !entries.containsKey(name)).toList();
  }

  List<String> names() {
    return List.copyOf(entries.keySet());
  }

  Collection<PendingRequest> entries() {
    return entries.values();
  }

  /** This rank has no more data. */
  void join(Completion allJoined) {
    closed.ifPresent(Outcome::orThrow);
    if (!entries.isEmpty()) {
      throw new IllegalStateException(
          "%d requests are pending: wait for them before joining".formatted(entries.size()));
    }
    joining = Optional.of(allJoined);
  }

  boolean joined() {
    return joining.isPresent();
  }

  /** All ranks have joined; completions are to be called. */
  Optional<Completion> allJoined() {
    Optional<Completion> waiting = joining;
    joining = Optional.empty();
    return waiting;
  }

  void shutDown() {
    shutdown = true;
  }

  boolean isShutDown() {
    return shutdown;
  }

  /** Nothing will be answered any more; completions are to be called. */
  List<Completion> close(Outcome outcome) {
    closed = Optional.of(outcome);
    List<Completion> waiting = new ArrayList<>();
    entries.values().forEach(entry -> waiting.add(entry.request().completion()));
    allJoined().ifPresent(waiting::add);
    entries.clear();
    return waiting;
  }
}
