package dev.tandem.sync.agent;

import dev.tandem.sync.plan.RequestGraph.Tensor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What rank 0 keeps: who has asked for what, until all have. */
final class Coordinator {

  private static final class Tally {
    private final Tensor first;
    private final int firstRank;
    private final BitSet ranks = new BitSet();
    private String error = "";

    Tally(Tensor first, int firstRank) {
      this.first = first;
      this.firstRank = firstRank;
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
      Tally tally = tallies.computeIfAbsent(tensor.name(), name -> new Tally(tensor, rank));
      tally.ranks.set(rank);
      if (!tally.first.equals(tensor) && tally.error.isEmpty()) {
        tally.error =
            "tensor %s: rank %d asks for %s, rank %d for %s; all ranks must ask for the same"
                .formatted(
                    tensor.name(),
                    tally.firstRank,
                    tally.first.signature(),
                    rank,
                    tensor.signature());
      }
    }
  }

  /** What all ranks have asked for, but those that have joined; it is forgotten then. */
  List<Response> ready() {
    List<Response> responses = new ArrayList<>();
    for (Iterator<Tally> each = tallies.values().iterator(); each.hasNext(); ) {
      Tally tally = each.next();
      BitSet present = (BitSet) tally.ranks.clone();
      present.or(joined);
      if (present.cardinality() == size) {
        responses.add(new Response(tally.first, tally.error));
        each.remove();
      }
    }
    return responses;
  }

  /** Negotiation ends: who asked will ask in another way. */
  void clear() {
    tallies.clear();
  }
}
