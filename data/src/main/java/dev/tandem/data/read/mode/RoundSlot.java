package dev.tandem.data.read.mode;

import java.nio.ByteBuffer;

/**
 * Memory for one round: records of consecutive shares, with a table of where each is and whose. The
 * memory may be shared between processes: one fills it, all others look at their own records. Who
 * may do what when is the {@link SlotRing}'s affair.
 *
 * <p>The layout: number of records, number of segments, whether it is the last round; segments
 * (owner, records); the table (key's place and length, value's place and length); then data, from a
 * place that direct reads may fill.
 */
final class RoundSlot {

  private static final int RECORDS = 0;
  private static final int SEGMENTS = 4;
  private static final int LAST = 8;
  private static final int HEADER = 64;
  private static final int SEGMENT = 8;
  private static final int ENTRY = 16;
  private static final int MOST_SEGMENTS = 4096;
  private static final int DATA_BYTES_A_RECORD = 64;
  private static final int FEWEST_RECORDS = 1024;

  /** Of the data of a slot whose memory is aligned so, too. */
  static final int ALIGNMENT = 4096;

  private final ByteBuffer memory;
  private final int capacity;
  private final int tableAt;
  private final int dataAt;
  private final int mostRecords;
  private int records;
  private int segments;
  private int owner;
  private int ownedRecords;

  /**
   * Takes memory of {@link #bytesFor} bytes.
   *
   * @param memory little-endian, at an aligned address
   * @param capacity bytes of data that fit
   */
  RoundSlot(ByteBuffer memory, int capacity) {
    this.memory = memory;
    this.capacity = capacity;
    this.mostRecords = mostRecords(capacity);
    this.tableAt = HEADER + MOST_SEGMENTS * SEGMENT;
    this.dataAt = dataAt(capacity);
  }

  /** Memory for a slot with this many bytes of data; a multiple of the page size. */
  static int bytesFor(int capacity) {
    return Math.addExact(dataAt(capacity), (capacity + ALIGNMENT - 1) & -ALIGNMENT);
  }

  /** Usual memory at an aligned address. */
  static ByteBuffer allocate(int bytes) {
    return ByteBuffer.allocateDirect(Math.addExact(bytes, ALIGNMENT))
        .alignedSlice(ALIGNMENT)
        .limit(bytes);
  }

  private static int mostRecords(int capacity) {
    return Math.max(FEWEST_RECORDS, capacity / DATA_BYTES_A_RECORD);
  }

  private static int dataAt(int capacity) {
    int end = HEADER + MOST_SEGMENTS * SEGMENT + mostRecords(capacity) * ENTRY;
    return (end + ALIGNMENT - 1) & -ALIGNMENT;
  }

  ByteBuffer memory() {
    return memory;
  }

  /** Where the data begins in the memory. */
  int dataAt() {
    return dataAt;
  }

  int capacity() {
    return capacity;
  }

  /** Empties the table. */
  void begin() {
    records = 0;
    segments = 0;
    owner = -1;
    ownedRecords = 0;
  }

  boolean full() {
    return records == mostRecords || segments == MOST_SEGMENTS - 1;
  }

  /** Adds a record of a reader of the group; it is placed later. */
  int add(int whose) {
    if (whose != owner) {
      endSegment();
      owner = whose;
    }
    ownedRecords++;
    return records++;
  }

  private void endSegment() {
    if (ownedRecords > 0) {
      int at = HEADER + segments * SEGMENT;
      memory.putInt(at, owner);
      memory.putInt(at + 4, ownedRecords);
      segments++;
      ownedRecords = 0;
    }
  }

  void placeKey(int record, int at, int length) {
    int entry = tableAt + record * ENTRY;
    memory.putInt(entry, at);
    memory.putInt(entry + 4, length);
  }

  void placeValue(int record, int at, int length) {
    int entry = tableAt + record * ENTRY;
    memory.putInt(entry + 8, at);
    memory.putInt(entry + 12, length);
  }

  /**
   * The value is too large for the slot and stays in the file.
   *
   * @param at eight bytes of data that are free, to keep its position in the file
   */
  void placeOutside(int record, int at, long position, int length) {
    memory.putLong(at, position);
    placeValue(record, ~at, length);
  }

  int records() {
    return records;
  }

  void finish(boolean last) {
    endSegment();
    memory.putInt(RECORDS, records);
    memory.putInt(SEGMENTS, segments);
    memory.putInt(LAST, last ? 1 : 0);
  }

  boolean last() {
    return memory.getInt(LAST) != 0;
  }

  /** Hands all records of one reader to its visitor, with a view of the memory of its own. */
  void visit(
      int whose,
      RecordVisitor visitor,
      ByteBuffer view,
      OversizedValues outside,
      Breakdown breakdown) {
    int entry = tableAt;
    int count = memory.getInt(SEGMENTS);
    for (int segment = 0; segment < count; segment++) {
      int at = HEADER + segment * SEGMENT;
      int owned = memory.getInt(at + 4);
      if (memory.getInt(at) == whose) {
        visit(entry, owned, visitor, view, outside, breakdown);
      }
      entry += owned * ENTRY;
    }
  }

  private void visit(
      int first,
      int count,
      RecordVisitor visitor,
      ByteBuffer view,
      OversizedValues outside,
      Breakdown breakdown) {
    long bytes = 0;
    for (int entry = first; entry < first + count * ENTRY; entry += ENTRY) {
      int keyAt = memory.getInt(entry);
      int keyLength = memory.getInt(entry + 4);
      int valueAt = memory.getInt(entry + 8);
      int valueLength = memory.getInt(entry + 12);
      if (valueAt >= 0) {
        visitor.record(view, keyAt, keyLength, view, valueAt, valueLength);
      } else {
        long position = memory.getLong(~valueAt);
        ByteBuffer window = outside.view(position);
        int at = MappedData.at(position);
        visitor.record(view, keyAt, keyLength, window, at, valueLength);
        outside.ensureIntact();
      }
      bytes += keyLength + valueLength;
    }
    breakdown.records += count;
    breakdown.bytesNeeded += bytes;
  }
}
