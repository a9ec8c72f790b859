package dev.tandem.data.share;

import dev.tandem.core.TandemException;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import dev.tandem.data.load.RecordPreparation;
import dev.tandem.data.order.EpochOrder;
import dev.tandem.data.order.SampleOrder;
import java.lang.foreign.MemorySegment;

/** Reads records, decodes and augments them. */
final class RecordChunks implements ChunkMaker {

  private final RecordSource source;
  private final SampleOrder order;
  private final RecordPreparation.Writer writer;
  private final Geometry geometry;
  private long epoch = -1;
  private EpochOrder epochOrder;

  RecordChunks(
      RecordSource source, SampleOrder order, RecordPreparation preparation, Geometry geometry) {
    this.source = source;
    this.order = order;
    this.writer = preparation.writer();
    this.geometry = geometry;
  }

  /** The record at a place of the sequence. */
  long ordinal(long sequence) {
    if (order.epochOf(sequence) != epoch) {
      epoch = order.epochOf(sequence);
      epochOrder = order.epoch(epoch);
    }
    return epochOrder.ordinal(order.placeOf(sequence));
  }

  @Override
  public long make(long chunk, long wanted, MemorySegment inputs, MemorySegment targets) {
    int count = Long.bitCount(wanted);
    if (count == 0) {
      return 0;
    }
    int[] places = new int[count];
    long[] ordinals = new long[count];
    long left = wanted;
    for (int i = 0; i < count; i++) {
      places[i] = Long.numberOfTrailingZeros(left);
      ordinals[i] = ordinal(chunk * geometry.chunk() + places[i]);
      left &= left - 1;
    }
    long made = 0;
    try (RecordBlock block = source.fetch(ordinals)) {
      for (int i = 0; i < count; i++) {
        MemorySegment input =
            inputs.asSlice(places[i] * geometry.inputBytes(), geometry.inputBytes());
        MemorySegment target =
            targets.asSlice(places[i] * geometry.targetBytes(), geometry.targetBytes());
        long visit = order.epochOf(chunk * geometry.chunk() + places[i]);
        if (prepared(block, i, visit, ordinals[i], input, target)) {
          made |= 1L << places[i];
        }
      }
      block.ensureIntact();
      return made;
    } catch (TandemException e) {
      return 0; // Consumers try it themselves, and say what is wrong.
    }
  }

  private boolean prepared(
      RecordBlock block,
      int place,
      long visit,
      long ordinal,
      MemorySegment input,
      MemorySegment target) {
    try {
      writer.decode(block.record(place));
      writer.write(visit, ordinal, input, target);
      return true;
    } catch (TandemException
        | IndexOutOfBoundsException
        | IllegalArgumentException
        | ArithmeticException e) {
      return false; // A consumer that wants it finds out why.
    }
  }
}
