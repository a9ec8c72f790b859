package dev.tandem.comm.collective;

import dev.tandem.comm.collective.ElasticPlan.Term;
import dev.tandem.comm.reduce.Reduction;
import java.lang.foreign.MemorySegment;

/** Computes terms, piece by piece, so that what must be kept stays in the cache. */
final class Terms {

  private static final long PIECE_BYTES = 32 << 10;

  /** Below, a copy costs more than it gains. */
  private static final long SMALL_BYTES = 8 << 10;

  private final Reduction step;
  private final Scratch memory;
  private final MemorySegment[] pair = new MemorySegment[2];
  private final long[] pairOffsets = new long[2];
  private MemorySegment kept = MemorySegment.NULL;
  private MemorySegment[] inputs;
  private long[] offsets;

  /**
   * @param memory for what must be kept
   */
  Terms(Reduction step, Scratch memory) {
    this.step = step;
    this.memory = memory;
  }

  /**
   * Computes equally long stretches of a term.
   *
   * @param inputs by the numbers in the term; none may be the target
   * @param offsets where the stretch begins in each input
   */
  void compute(
      Term term,
      MemorySegment[] inputs,
      long[] offsets,
      long bytes,
      MemorySegment target,
      long targetOffset) {
    this.inputs = inputs;
    this.offsets = offsets;
    if (term.height() > 1) {
      kept = memory.of(term.height() * PIECE_BYTES);
    }
    for (long from = 0; from < bytes; from += PIECE_BYTES) {
      long length = Math.min(PIECE_BYTES, bytes - from);
      compute(term, from, length, target, targetOffset + from, 0);
    }
  }

  private void compute(
      Term term, long from, long bytes, MemorySegment target, long targetOffset, int depth) {
    switch (term) {
      case Term.Input(int index) ->
          MemorySegment.copy(inputs[index], offsets[index] + from, target, targetOffset, bytes);
      case Term.Join(Term left, Term right) -> {
        // What is reduced in its own place is fetched fastest, so also an input is put there first.
        boolean inPlace = left instanceof Term.Join || bytes > SMALL_BYTES;
        if (inPlace) {
          compute(left, from, bytes, target, targetOffset, depth + 1);
        }
        long place = depth * PIECE_BYTES;
        if (right instanceof Term.Join) {
          compute(right, from, bytes, kept, place, depth + 1);
        }
        if (inPlace) {
          use(0, target, targetOffset);
        } else {
          use(0, left, from, target, targetOffset);
        }
        use(1, right, from, kept, place);
        step.reduce(pair, pairOffsets, bytes, target, targetOffset);
      }
    }
  }

  /** An input where it lies, or a computed term where that is. */
  private void use(int side, Term term, long from, MemorySegment computed, long offset) {
    switch (term) {
      case Term.Input(int index) -> use(side, inputs[index], offsets[index] + from);
      case Term.Join join -> use(side, computed, offset);
    }
  }

  private void use(int side, MemorySegment memory, long offset) {
    pair[side] = memory;
    pairOffsets[side] = offset;
  }
}
