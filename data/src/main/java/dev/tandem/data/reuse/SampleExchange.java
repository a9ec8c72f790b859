package dev.tandem.data.reuse;

import dev.tandem.comm.collective.Collectives;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * One exchange of records between the ranks of a group, from what they hold in a pass to what they
 * serve in the next. All know from the order which records come from which rank and in which order,
 * so that only the records themselves travel.
 *
 * <p>Communication: an allreduce of one element and an all-to-all with blocks as long as the
 * longest that any rank has for any other.
 */
final class SampleExchange {

  private static final ValueLayout.OfInt LENGTH = ValueLayout.JAVA_INT_UNALIGNED;
  private static final long LENGTHS = 2 * LENGTH.byteSize();

  /** What a rank that gives up says instead of a length. */
  private static final long GIVEN_UP = Long.MAX_VALUE;

  private final RoundOrder order;
  private final int pass;
  private final int rank;
  private final int[] members;
  private final ReuseMeter meter;

  /**
   * An exchange before a pass.
   *
   * @param members the ranks of the group, as its communicator numbers them
   */
  SampleExchange(RoundOrder order, int pass, int rank, int[] members, ReuseMeter meter) {
    this.order = order;
    this.pass = pass;
    this.rank = rank;
    this.members = members;
    this.meter = meter;
  }

  /**
   * Exchanges; all ranks of the group do it at the same time.
   *
   * @param held the records of the pass before, as its list has them, or empty to give up; then no
   *     rank gets any
   * @return the records of this pass
   */
  DataRecord[] run(Collectives group, Optional<DataRecord[]> held) {
    long longest = held.isPresent() ? longest(held.get()) : GIVEN_UP;
    try (Arena arena = Arena.ofShared()) {
      MemorySegment agreed = arena.allocateFrom(ValueLayout.JAVA_LONG, longest);
      group.allreduce(agreed, DType.INT64, ReduceOp.MAX);
      long block = agreed.get(ValueLayout.JAVA_LONG, 0);
      if (block == GIVEN_UP) {
        throw new WorkFailedException(
            "another rank failed or closed its loader while samples were to be exchanged");
      }
      MemorySegment outgoing = arena.allocate(members.length * block, Long.BYTES);
      MemorySegment incoming = arena.allocate(members.length * block, Long.BYTES);
      DataRecord[] bySample = order.bySample(pass - 1, rank, held.orElseThrow());
      for (int member = 0; member < members.length; member++) {
        if (members[member] != rank) {
          pack(bySample, members[member], outgoing.asSlice(member * block, block));
        }
      }
      group.allToAll(outgoing, incoming);
      for (int member = 0; member < members.length; member++) {
        if (members[member] != rank) {
          unpack(bySample, members[member], incoming.asSlice(member * block, block));
        }
      }
      meter.exchanged((members.length - 1) * block);
      return order.pick(pass, rank, bySample);
    }
  }

  /** Bytes of the longest block that this rank has for another. */
  private long longest(DataRecord[] held) {
    DataRecord[] bySample = order.bySample(pass - 1, rank, held);
    long longest = 0;
    for (int member : members) {
      long bytes = 0;
      for (int sample : order.list(pass, member)) {
        if (member != rank && order.holder(pass - 1, sample) == rank) {
          bytes += LENGTHS + bytes(bySample[sample]);
        }
      }
      longest = Math.max(longest, bytes);
    }
    // Blocks are aligned, so that transports may use them as they are.
    return Math.ceilDiv(longest, Long.BYTES) * Long.BYTES;
  }

  private static long bytes(DataRecord record) {
    return record.key().byteSize() + record.value().byteSize();
  }

  private void pack(DataRecord[] bySample, int receiver, MemorySegment block) {
    long at = 0;
    for (int sample : order.list(pass, receiver)) {
      if (order.holder(pass - 1, sample) == rank) {
        DataRecord record = bySample[sample];
        int keyBytes = (int) record.key().byteSize();
        int valueBytes = (int) record.value().byteSize();
        block.set(LENGTH, at, keyBytes);
        block.set(LENGTH, at + LENGTH.byteSize(), valueBytes);
        MemorySegment.copy(record.key(), 0, block, at + LENGTHS, keyBytes);
        MemorySegment.copy(record.value(), 0, block, at + LENGTHS + keyBytes, valueBytes);
        at += LENGTHS + keyBytes + valueBytes;
        meter.moved(rank, receiver, keyBytes + (long) valueBytes);
      }
    }
  }

  private void unpack(DataRecord[] bySample, int sender, MemorySegment block) {
    long at = 0;
    for (int sample : order.list(pass, rank)) {
      if (order.holder(pass - 1, sample) == sender) {
        int keyBytes = block.get(LENGTH, at);
        int valueBytes = block.get(LENGTH, at + LENGTH.byteSize());
        at += LENGTHS;
        bySample[sample] =
            new DataRecord(
                Copies.of(block.asSlice(at, keyBytes)),
                Copies.of(block.asSlice(at + keyBytes, valueBytes)));
        at += keyBytes + valueBytes;
      }
    }
  }
}
