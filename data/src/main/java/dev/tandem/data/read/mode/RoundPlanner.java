package dev.tandem.data.read.mode;

import dev.tandem.data.read.request.ReadRound;
import dev.tandem.data.read.request.Windows;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.index.LeafKeys;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * ReadTurns shares of a plan into rounds of requests: as many records as fit a slot, of a bounded
 * number of iterations. When the bytes of a round are there, it finds the keys and checks that no
 * writer has reused the pages meanwhile. For one thread; completions run in others.
 */
final class RoundPlanner {

  /** Room that a key may take besides its value, in blocks or pages: a leaf, or two for a key. */
  private static final int LEAVES = 3;

  private final Shares shares;
  private final Locator locator;
  private final Snapshot snapshot;
  private final Database database;
  private final Windows windows;
  private final int block;
  private final long unit;
  private final long iterationsARound;
  private final RecordLocation record = new RecordLocation();

  // What was located for the round in hand.
  private long[] values = new long[256];
  private int[] lengths = new int[256];
  private long[] leaves = new long[256];
  private long[] inLeaf = new long[256];
  private long[] keys = new long[256];
  private int[] keyLengths = new int[256];

  /**
   * @param alignment of requests
   * @param gap bytes that it is cheaper to read along than to skip
   */
  RoundPlanner(
      Shares shares,
      Locator locator,
      Snapshot snapshot,
      int alignment,
      int block,
      int gap,
      long iterationsARound) {
    this.shares = shares;
    this.locator = locator;
    this.snapshot = snapshot;
    this.database = snapshot.main();
    this.windows = new Windows(alignment, gap);
    this.block = block;
    this.unit = Math.max(snapshot.pageSize(), alignment);
    this.iterationsARound = iterationsARound;
  }

  boolean done() {
    return shares.done();
  }

  /** The iteration of the next round's first record. */
  long iteration() {
    return shares.iteration();
  }

  /** Bytes of data that a slot must have for values of this length not to stay in the file. */
  static long capacityFor(long length, int pageSize, int alignment) {
    long unit = Math.max(pageSize, alignment);
    // A value may lie across one block more than it has, and its leaf comes with it.
    return (length / unit + 2) * unit + LEAVES * unit;
  }

  /** Fills the slot's table and makes the requests for its data; then publishes. */
  ReadRound next(RoundSlot slot, SlotRing ring, long number) {
    slot.begin();
    windows.clear();
    long bytes = take(slot);
    windows.merge(slot.dataAt(), slot.capacity() - bytes);
    int records = slot.records();
    for (int i = 0; i < records; i++) {
      if (values[i] >= 0) {
        slot.placeValue(i, windows.memoryAt(values[i]), lengths[i]);
      }
      if (leaves[i] < 0 && keys[i] >= 0) {
        slot.placeKey(i, windows.memoryAt(keys[i]), keyLengths[i]);
      }
    }
    slot.finish(shares.done());
    ReadRound round = new Round(slot, ring, number);
    round.request(windows, block);
    return round;
  }

  /** A round that finds its keys. Not a lambda: making one takes a new JVM longer than a round. */
  private final class Round extends ReadRound {

    private final RoundSlot slot;
    private final SlotRing ring;
    private final long number;

    // Leaf page, its place in memory, and the record within it, where keys are still to be found.
    private final long[] pages;
    private final int[] places;
    private final long[] numbers;

    Round(RoundSlot slot, SlotRing ring, long number) {
      super(slot.memory());
      this.slot = slot;
      this.ring = ring;
      this.number = number;
      int unknown = slot.records() > 0 && leaves[0] >= 0 ? slot.records() : 0;
      this.pages = Arrays.copyOf(leaves, unknown);
      this.numbers = Arrays.copyOf(inLeaf, unknown);
      this.places = new int[unknown];
      for (int i = 0; i < unknown; i++) {
        boolean same = i > 0 && pages[i] == pages[i - 1];
        places[i] = same ? places[i - 1] : windows.memoryAt(keys[i]);
      }
    }

    @Override
    public void complete() {
      LeafKeys leafKeys = new LeafKeys(database);
      for (int i = 0; i < pages.length; i++) {
        if (i == 0 || pages[i] != pages[i - 1]) {
          leafKeys.load(pages[i], slot.memory(), places[i]);
        }
        leafKeys.seek(numbers[i]);
        slot.placeKey(i, leafKeys.keyAt(), leafKeys.keyLength());
      }
      snapshot.ensureIntact();
      ring.publish(number);
    }
  }

  /** Takes records from the shares while they fit; returns an upper bound of their bytes. */
  private long take(RoundSlot slot) {
    long end = shares.iteration() + iterationsARound;
    long bytes = 0;
    long keyFrom = -1;
    long keyTo = -1;
    long coveredFrom = 0;
    long coveredTo = 0;
    int keysAt = slot.dataAt() + slot.capacity();
    long roomForKey = LEAVES * unit;
    while (!shares.done() && shares.iteration() < end && !slot.full()) {
      locator.locate(shares.place(), record);
      long from = windows.start(record.valuePosition);
      long to = windows.end(record.valuePosition, record.valueLength);
      boolean outside = to - from > slot.capacity() - roomForKey;
      if (outside) {
        to = from;
      }
      boolean goesOn = from >= coveredFrom && from <= coveredTo;
      long cost = goesOn ? Math.max(0, to - coveredTo) : to - from;
      long nextKeyFrom = windows.start(record.keyPosition);
      long nextKeyTo = windows.end(record.keyPosition, record.keyLength);
      // Where leaves have several blocks, a key may begin in the last one's block and go on after
      // it.
      boolean readKey = record.keyMemory == null && (nextKeyFrom != keyFrom || nextKeyTo > keyTo);
      if (readKey) {
        cost += nextKeyTo - nextKeyFrom;
      } else if (record.keyMemory != null) {
        cost += record.keyLength;
      }
      cost += outside ? Long.BYTES : 0;
      if (slot.records() > 0 && bytes + cost > slot.capacity()) {
        break;
      }
      bytes += cost;
      coveredTo = goesOn ? Math.max(coveredTo, to) : to;
      coveredFrom = goesOn ? coveredFrom : from;
      if (!outside) {
        windows.add(record.valuePosition, record.valueLength);
      }
      if (readKey) {
        windows.add(record.keyPosition, record.keyLength);
        keyFrom = nextKeyFrom;
        keyTo = nextKeyTo;
      }
      int number = slot.add(shares.member());
      note(number, outside);
      if (outside) {
        keysAt -= Long.BYTES;
        slot.placeOutside(number, keysAt, record.valuePosition, record.valueLength);
      }
      if (record.keyMemory != null) {
        keysAt -= record.keyLength;
        copyKey(slot.memory(), keysAt);
        slot.placeKey(number, keysAt, record.keyLength);
      }
      shares.next();
    }
    return bytes;
  }

  private void note(int number, boolean outside) {
    if (number == values.length) {
      int size = number * 2;
      values = Arrays.copyOf(values, size);
      lengths = Arrays.copyOf(lengths, size);
      leaves = Arrays.copyOf(leaves, size);
      inLeaf = Arrays.copyOf(inLeaf, size);
      keys = Arrays.copyOf(keys, size);
      keyLengths = Arrays.copyOf(keyLengths, size);
    }
    values[number] = outside ? -1 : record.valuePosition;
    lengths[number] = record.valueLength;
    leaves[number] = record.leafPage;
    inLeaf[number] = record.inLeaf;
    keys[number] = record.keyMemory == null ? record.keyPosition : -1;
    keyLengths[number] = record.keyLength;
  }

  private void copyKey(ByteBuffer memory, int at) {
    memory.put(at, record.keyMemory, (int) record.keyPosition, record.keyLength);
  }
}
