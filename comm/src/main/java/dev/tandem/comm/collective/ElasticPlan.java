package dev.tandem.comm.collective;

import dev.tandem.comm.collective.CanonicalTree.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * How one rank of a team helps to compute the canonical tree over a number of shards: which nodes
 * it finishes alone, and how the nodes of all ranks make up the root. Made once, used often.
 */
final class ElasticPlan {

  /** What is computed: one of some numbered inputs, or two terms reduced. */
  sealed interface Term {

    /** How many terms must be kept while another is computed. */
    int height();

    /** An input. */
    record Input(int index) implements Term {

      @Override
      public int height() {
        return 0;
      }
    }

    /** Two terms, reduced in this order. */
    record Join(Term left, Term right) implements Term {

      @Override
      public int height() {
        return 1 + Math.max(left.height(), right.height());
      }
    }
  }

  private final int shards;
  private final Blocks runs;
  private final int[] counts;
  private final List<Term> own = new ArrayList<>();
  private final Term root;

  ElasticPlan(int shards, int ranks, int rank) {
    CanonicalTree tree = new CanonicalTree(shards);
    this.shards = shards;
    this.runs = runs(shards, ranks);
    this.counts = new int[ranks];
    Map<Node, Integer> known = new HashMap<>();
    for (int holder = 0; holder < ranks; holder++) {
      List<Node> nodes = tree.cover((int) runs.offset(holder), (int) runs.offset(holder + 1));
      nodes.forEach(node -> known.put(node, known.size()));
      counts[holder] = nodes.size();
      if (holder == rank) {
        nodes.forEach(node -> own.add(overShards(node, (int) runs.offset(rank))));
      }
    }
    this.root = overNodes(tree.root(), known);
  }

  /** Which shards the ranks hold: an element is a shard. */
  static Blocks runs(int shards, int ranks) {
    return new Blocks(shards, 1, ranks);
  }

  private static Term overShards(Node node, int first) {
    return node.leaf()
        ? new Term.Input(node.first() - first)
        : new Term.Join(overShards(node.left(), first), overShards(node.right(), first));
  }

  private static Term overNodes(Node node, Map<Node, Integer> known) {
    Integer index = known.get(node);
    return index != null
        ? new Term.Input(index)
        : new Term.Join(overNodes(node.left(), known), overNodes(node.right(), known));
  }

  int shards() {
    return shards;
  }

  /** How many shards a rank holds. */
  int held(int rank) {
    return (int) runs.length(rank);
  }

  /** How many nodes a rank finishes alone. */
  int count(int rank) {
    return counts[rank];
  }

  /** How many nodes all ranks finish alone. */
  int all() {
    return IntStream.of(counts).sum();
  }

  /** How many nodes the rank with the most finishes. */
  int most() {
    return IntStream.of(counts).max().orElseThrow();
  }

  /** For every rank, how many nodes it finishes, times the bytes of one. */
  long[] lengths(long bytes) {
    return IntStream.of(counts).mapToLong(count -> count * bytes).toArray();
  }

  /** The nodes that this rank finishes, over its shards. */
  List<Term> own() {
    return own;
  }

  /** The root, over the nodes of all ranks, one after the other. */
  Term root() {
    return root;
  }
}
