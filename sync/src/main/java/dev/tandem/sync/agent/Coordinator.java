package dev.tandem.sync.agent;

import dev.tandem.sync.plan.RequestGraph.Tensor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What rank 0 keeps: which ranks have asked for what, until all have. */
final class Coordinator {

  /** Which ranks have asked for one tensor, and with which signature. */
  private static final class Tally {
    private final SortedMap<Integer, Tensor> wanted = new TreeMap<>();

    Response response() {
      int first = wanted.firstKey();
      Tensor tensor = wanted.get(first);
      for (Map.Entry<Integer, Tensor> other : wanted.entrySet()) {
        if (!other.getValue().equals(tensor)) {
          return new Response(
              tensor,
              "tensor %s: rank %d asks for %s, rank %d for %s; all ranks must ask for the same"
                  .formatted(
                      tensor.name(),
                      first,
                      tensor.signature(),
                      other.getKey(),
                      other.getValue().signature()));
        }
      }
      return Response.of(tensor);
    }
  }

  private final int size;
  private final BitSet joined = new BitSet();
  private final Map<String, Tally> tallies = new LinkedHashMap<>();

  Coordinator(int size) {
    this.size = size;
  }

  /** A rank asks. */
  void receive(int rank, boolean hasJoined, List<Tensor> wanted) {
    joined.set(rank, hasJoined);
    for (Tensor tensor : wanted) {
      tallies.computeIfAbsent(tensor.name(), name -> new Tally()).wanted.put(rank, tensor);
    }
  }

  /** What all ranks have asked for, but those that have joined; it is forgotten then. */
  List<Response> ready() {
    List<Response> responses = new ArrayList<>();
    for (Iterator<Tally> each = tallies.values().iterator(); each.hasNext(); ) {
      Tally tally = each.next();
      BitSet present = (BitSet) joined.clone();
      tally.wanted.keySet().forEach(present::set);
      if (present.cardinality() == size) {
        responses.add(tally.response());
        each.remove();
      }
    }
    return responses;
  }

  /** Negotiation ends: ranks that asked will ask in another way. */
  void clear() {
    tallies.clear();
  }
}
