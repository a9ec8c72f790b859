package dev.tandem.sync.compress;

import dev.tandem.comm.collective.Collectives;
import dev.tandem.comm.reduce.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * Sums tensors over all ranks with fewer bytes: several, compressed alike, travel as one. For one
 * thread; owns the memory for what travels, which grows to the largest transfer.
 *
 * <p>{@code Note [compressed sums are deterministic]}: with the same ranks the sums have the same
 * bits, on all ranks and in every run, whatever is fused, late or early. What a rank writes of a
 * tensor depends on that tensor and on what its last transfer left behind alone: the choice of the
 * largest elements breaks ties by place, blocks of signs are counted from the tensor's beginning,
 * and fusion puts finished payloads side by side. Top-k and one-bit payloads are gathered as bytes;
 * every rank reads the same bytes and adds them in rank order. Sixteen-bit numbers are summed by
 * {@code comm}, at level {@code run} in rank order (in 32 bits within a host and rounded once; on
 * several hosts the sums of hosts are rounded too), and all ranks get the same bits. A rank that
 * has joined gives zeros and keeps what it left behind. So by induction over transfers the
 * residuals are the same in every run, and a run that restores them goes on with the same bits.
 */
public final class CompressedSum {

  private static final long ALIGNMENT = 64;

  /**
   * One tensor.
   *
   * @param data weighted; becomes the sum; empty for a rank that gives zeros
   */
  public record Term(String name, long elements, Optional<MemorySegment> data) {}

  private final Collectives ranks;
  private final Residuals residuals;
  private final HalfCodec halves = new HalfCodec();
  private final TopKCodec largest = new TopKCodec();
  private final OneBitCodec signs = new OneBitCodec();
  private MemorySegment outgoing = MemorySegment.NULL;
  private MemorySegment incoming = MemorySegment.NULL;

  public CompressedSum(Collectives ranks, Residuals residuals) {
    this.ranks = ranks;
    this.residuals = residuals;
  }

  /**
   * Sums; all ranks call it with the same names, lengths and compression.
   *
   * @return bytes that this rank gave
   */
  public long run(Compression compression, List<Term> terms) {
    long[] offsets = new long[terms.size() + 1];
    for (int i = 0; i < terms.size(); i++) {
      offsets[i + 1] = offsets[i] + compression.payloadBytes(terms.get(i).elements());
    }
    switch (compression) {
      case Compression.None none -> throw new IllegalArgumentException("nothing to compress");
      case Compression.Half half -> reduce(half, terms, offsets);
      case Compression.TopK topK -> gather(largest.of(topK), terms, offsets);
      case Compression.OneBit oneBit -> gather(signs, terms, offsets);
    }
    return offsets[terms.size()];
  }

  private void reduce(Compression.Half half, List<Term> terms, long[] offsets) {
    MemorySegment payload = outgoing(offsets[terms.size()]);
    for (int i = 0; i < terms.size(); i++) {
      Optional<MemorySegment> data = terms.get(i).data();
      if (data.isPresent()) {
        halves.encode(data.get(), half.dtype(), payload, offsets[i]);
      } else {
        slice(payload, offsets, i).fill((byte) 0);
      }
    }
    ranks.allreduce(payload, half.dtype(), ReduceOp.SUM);
    for (int i = 0; i < terms.size(); i++) {
      if (terms.get(i).data().isPresent()) {
        halves.decode(payload, offsets[i], half.dtype(), terms.get(i).data().get());
      }
    }
  }

  private void gather(PackedCodec codec, List<Term> terms, long[] offsets) {
    long bytes = offsets[terms.size()];
    MemorySegment mine = outgoing(bytes);
    for (int i = 0; i < terms.size(); i++) {
      Term term = terms.get(i);
      MemorySegment payload = slice(mine, offsets, i);
      if (term.data().isPresent()) {
        codec.encode(term.data().get(), residuals.turn(term.name(), term.elements()), payload);
      } else {
        payload.fill((byte) 0);
      }
    }
    MemorySegment all = incoming(bytes * ranks.size());
    ranks.allgather(mine, all);
    for (int i = 0; i < terms.size(); i++) {
      if (terms.get(i).data().isPresent()) {
        codec.sum(
            new PackedCodec.Gathered(all, offsets[i], bytes, ranks.size()),
            terms.get(i).data().get());
      }
    }
  }

  private static MemorySegment slice(MemorySegment payload, long[] offsets, int term) {
    return payload.asSlice(offsets[term], offsets[term + 1] - offsets[term]);
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
