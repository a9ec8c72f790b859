package dev.tandem.sync.adasum;

import dev.tandem.comm.collective.Collectives;
import dev.tandem.comm.collective.Message;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Adasum (Maleki et al., 2021): combines the gradients of all ranks pair by pair so that what two
 * have in common counts once: {@code a (1 - a·b / 2|a|²) + b (1 - a·b / 2|b|²)}. Orthogonal
 * gradients are added, equal ones averaged, and each tensor is judged by itself. For one thread;
 * owns the memory for what travels.
 *
 * <p>Of n ranks, the largest power of two P not above n combine by vector halving and distance
 * doubling: in round d, ranks r and r + d (those that differ in that bit) swap halves of what they
 * hold, agree on the scalar products with the ranks that hold the other parts of the same two
 * gradients, and combine the half they keep; then the parts are collected the other way round. The
 * other n - P ranks go before that: rank P + i gives its gradient to rank i, which combines the
 * two, and gets the result in the end. So the tree is the same whatever the timing: first (i, P +
 * i), then neighbours, then neighbouring pairs...
 *
 * <p>Every element of the result is computed by one rank and copied to the others, so all get the
 * same bits; each tensor is halved by itself, so what travels together does not show.
 *
 * <p>Communication steps: log2 P rounds of one large and up to log2 P small swaps, and log2 P swaps
 * to collect. Bytes on the wire: twice the tensors, as an allreduce; those of the other n - P ranks
 * travel whole, there and back.
 */
public final class Adasum {

  private static final long ALIGNMENT = 64;

  private final Collectives ranks;
  private final PairCombination pairs = new PairCombination();
  private MemorySegment outgoing = MemorySegment.NULL;
  private MemorySegment incoming = MemorySegment.NULL;

  public Adasum(Collectives ranks) {
    this.ranks = ranks;
  }

  /**
   * Replaces the tensors of all ranks by their combination, each by itself.
   *
   * @param tensors float32, of the same lengths in every rank
   */
  public void run(List<MemorySegment> tensors) {
    int rank = ranks.rank();
    int power = Integer.highestOneBit(ranks.size());
    Stretch whole = Stretch.whole(tensors);
    if (rank >= power) {
      ranks.send(pack(tensors, whole), rank - power);
      receive(tensors, whole, rank - power);
      return;
    }
    boolean helps = rank + power < ranks.size();
    if (helps) {
      MemorySegment other = incoming(whole.bytes());
      ranks.receive(other, rank + power);
      double[] dots = products(tensors, whole, other, true);
      combine(tensors, whole, other, true, dots);
    }
    among(tensors, whole, power);
    if (helps) {
      ranks.send(pack(tensors, whole), rank + power);
    }
  }

  private void among(List<MemorySegment> tensors, Stretch whole, int power) {
    int rank = ranks.rank();
    Deque<Stretch> halved = new ArrayDeque<>();
    Stretch held = whole;
    for (int distance = 1; distance < power; distance *= 2) {
      boolean lower = (rank & distance) == 0;
      Stretch kept = held.half(lower);
      MemorySegment other = incoming(kept.bytes());
      swap(rank ^ distance, pack(tensors, held.half(!lower)), other);
      double[] dots = products(tensors, kept, other, lower);
      for (int near = 1; near <= distance; near *= 2) {
        add(dots, rank ^ near);
      }
      combine(tensors, kept, other, lower, dots);
      halved.push(held);
      held = kept;
    }
    for (int distance = power / 2; distance > 0; distance /= 2) {
      boolean lower = (rank & distance) == 0;
      Stretch both = halved.pop();
      Stretch others = both.half(!lower);
      MemorySegment parts = incoming(others.bytes());
      swap(rank ^ distance, pack(tensors, held), parts);
      unpack(parts, tensors, others);
      held = both;
    }
  }

  /** The scalar products of a stretch of what this rank holds and of what another sent. */
  private double[] products(
      List<MemorySegment> tensors, Stretch stretch, MemorySegment packed, boolean lower) {
    double[] dots = new double[tensors.size() * PairCombination.PRODUCTS];
    long at = 0;
    for (int i = 0; i < tensors.size(); i++) {
      MemorySegment mine = stretch.of(tensors, i);
      MemorySegment other = packed.asSlice(at, mine.byteSize());
      pairs.products(
          lower ? mine : other, lower ? other : mine, dots, i * PairCombination.PRODUCTS);
      at += mine.byteSize();
    }
    return dots;
  }

  private void combine(
      List<MemorySegment> tensors,
      Stretch stretch,
      MemorySegment packed,
      boolean lower,
      double[] dots) {
    long at = 0;
    for (int i = 0; i < tensors.size(); i++) {
      MemorySegment mine = stretch.of(tensors, i);
      MemorySegment other = packed.asSlice(at, mine.byteSize());
      int place = i * PairCombination.PRODUCTS;
      pairs.combine(lower ? mine : other, lower ? other : mine, dots, place, mine);
      at += mine.byteSize();
    }
  }

  /** Adds another rank's numbers; both get the same sums, since order does not show in a sum. */
  private void add(double[] dots, int other) {
    double[] theirs = new double[dots.length];
    swap(other, MemorySegment.ofArray(dots), MemorySegment.ofArray(theirs));
    for (int i = 0; i < dots.length; i++) {
      dots[i] += theirs[i];
    }
  }

  private void swap(int other, MemorySegment mine, MemorySegment theirs) {
    ranks.exchange(List.of(new Message(other, mine)), List.of(new Message(other, theirs)));
  }

  private void receive(List<MemorySegment> tensors, Stretch stretch, int from) {
    MemorySegment packed = incoming(stretch.bytes());
    ranks.receive(packed, from);
    unpack(packed, tensors, stretch);
  }

  private MemorySegment pack(List<MemorySegment> tensors, Stretch stretch) {
    MemorySegment packed = outgoing(stretch.bytes());
    long at = 0;
    for (int i = 0; i < tensors.size(); i++) {
      MemorySegment part = stretch.of(tensors, i);
      MemorySegment.copy(part, 0, packed, at, part.byteSize());
      at += part.byteSize();
    }
    return packed;
  }

  private static void unpack(MemorySegment packed, List<MemorySegment> tensors, Stretch stretch) {
    long at = 0;
    for (int i = 0; i < tensors.size(); i++) {
      MemorySegment part = stretch.of(tensors, i);
      MemorySegment.copy(packed, at, part, 0, part.byteSize());
      at += part.byteSize();
    }
  }

  private MemorySegment outgoing(long bytes) {
    if (outgoing.byteSize() < bytes) {
      outgoing = Arena.ofAuto().allocate(bytes, ALIGNMENT);
    }
    return outgoing.asSlice(0, bytes);
  }

  private MemorySegment incoming(long bytes) {
    if (incoming.byteSize() < bytes) {
      incoming = Arena.ofAuto().allocate(bytes, ALIGNMENT);
    }
    return incoming.asSlice(0, bytes);
  }
}
