package dev.tandem.data.read.mode;

import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Snapshot;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A root that reads through its mapping and copies into shared memory for its followers, then takes
 * its own records from there. It walks through the records of other roots to find its own.
 */
class CopyReading implements Reading {

  private static final int PAGE = 4096;

  private final Snapshot snapshot;
  private final MappedData data;
  private final SlotRing ring;
  private final Shares shares;
  private final CursorWalk walk;
  private final OversizedValues outside;
  private int[] owners = new int[256];
  private long[] keys = new long[256];
  private int[] keyLengths = new int[256];
  private long[] values = new long[256];
  private long[] lengths = new long[256];
  private int touched;

  CopyReading(
      Snapshot snapshot,
      MappedData data,
      SlotRing ring,
      Shares shares,
      CursorWalk walk,
      OversizedValues outside) {
    this.snapshot = snapshot;
    this.data = data;
    this.ring = ring;
    this.shares = shares;
    this.walk = walk;
    this.outside = outside;
  }

  @Override
  public void run(RecordVisitor visitor, Breakdown breakdown) {
    long round = 0;
    boolean last;
    do {
      long iteration = shares.iteration();
      int located = locate(iteration, breakdown);
      touch(located, breakdown);
      int copied = 0;
      do {
        long waits = System.nanoTime();
        ring.awaitFree(round);
        RoundSlot slot = ring.slot(round);
        long began = System.nanoTime();
        breakdown.skew += began - waits;
        copied = copy(slot, copied, located);
        last = copied == located && shares.done();
        slot.finish(last);
        snapshot.ensureIntact();
        ring.publish(round);
        long there = System.nanoTime();
        breakdown.copy += there - began;
        slot.visit(0, visitor, slot.memory().duplicate(), outside, breakdown);
        outside.ensureIntact();
        ring.release(0, round);
        breakdown.consume += System.nanoTime() - there;
        round++;
      } while (copied < located);
    } while (!last);
  }

  /** Notes where all records of one iteration are; returns how many. */
  private int locate(long iteration, Breakdown breakdown) {
    int count = 0;
    beginIteration(iteration, breakdown);
    long began = System.nanoTime();
    Cursor cursor = walk.cursor();
    while (!shares.done() && shares.iteration() == iteration) {
      walk.to(shares.place());
      if (count == keys.length) {
        grow();
      }
      owners[count] = shares.member();
      keys[count] = cursor.keyPosition();
      keyLengths[count] = cursor.keyLength();
      values[count] = cursor.valuePosition();
      lengths[count] = cursor.valueLength();
      count++;
      shares.next();
    }
    breakdown.seek += System.nanoTime() - began;
    endIteration(iteration, count, breakdown);
    return count;
  }

  /** Before the records of an iteration are looked for. */
  void beginIteration(long iteration, Breakdown breakdown) {}

  /** After the records of an iteration were found, before they are read. */
  void endIteration(long iteration, int count, Breakdown breakdown) {}

  /** Byte of the file where the key of a record of this iteration is. */
  long keyPosition(int record) {
    return keys[record];
  }

  long valuePosition(int record) {
    return values[record];
  }

  long valueLength(int record) {
    return lengths[record];
  }

  /** Brings the values into memory, so that copying is only copying. */
  private void touch(int count, Breakdown breakdown) {
    long began = System.nanoTime();
    for (int i = 0; i < count; i++) {
      touched += touch(data, values[i], lengths[i]);
    }
    breakdown.read += System.nanoTime() - began;
  }

  /** Looks at a byte of every page; the sum keeps the compiler from leaving that out. */
  static int touch(MappedData data, long position, long length) {
    int sum = 0;
    for (long at = position; at < position + length; at = (at | (PAGE - 1)) + 1) {
      sum += data.window(at).get(MappedData.at(at));
    }
    return sum;
  }

  private int copy(RoundSlot slot, int from, int to) {
    slot.begin();
    ByteBuffer memory = slot.memory();
    int at = slot.dataAt();
    int end = at + slot.capacity();
    int next = from;
    for (; next < to && !slot.full(); next++) {
      int keyLength = keyLengths[next];
      int valueLength = MappedData.length(lengths[next]);
      boolean outsideSlot = keyLength + valueLength > slot.capacity();
      int needed = keyLength + (outsideSlot ? Long.BYTES : valueLength);
      if (needed > end - at) {
        break;
      }
      int record = slot.add(owners[next]);
      memory.put(at, data.window(keys[next]), MappedData.at(keys[next]), keyLength);
      slot.placeKey(record, at, keyLength);
      int valueAt = at + keyLength;
      if (outsideSlot) {
        slot.placeOutside(record, valueAt, values[next], valueLength);
      } else {
        memory.put(valueAt, data.window(values[next]), MappedData.at(values[next]), valueLength);
        slot.placeValue(record, valueAt, valueLength);
      }
      at += needed;
    }
    return next;
  }

  private void grow() {
    int size = keys.length * 2;
    owners = Arrays.copyOf(owners, size);
    keys = Arrays.copyOf(keys, size);
    keyLengths = Arrays.copyOf(keyLengths, size);
    values = Arrays.copyOf(values, size);
    lengths = Arrays.copyOf(lengths, size);
  }

  /** What touching gave; of no use but to be kept. */
  int touched() {
    return touched;
  }

  @Override
  public void close() {
    ring.close();
  }
}
