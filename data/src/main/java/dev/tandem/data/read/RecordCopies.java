package dev.tandem.data.read;

import dev.tandem.data.DataRecord;
import dev.tandem.data.HeldRecords;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Takes records over by copying them, until somebody takes them. For one thread. */
abstract class RecordCopies implements RecordVisitor {

  private byte[] memory = new byte[1 << 16];
  private int used;
  private int[] ends = new int[128];
  private int count;

  /** Another record comes; so many are held. */
  abstract void adding(int held);

  @Override
  public void record(
      ByteBuffer keys, int keyAt, int keyLength, ByteBuffer values, int valueAt, int valueLength) {
    adding(count);
    copy(keys, keyAt, keyLength, 2 * count);
    copy(values, valueAt, valueLength, 2 * count + 1);
    count++;
  }

  private void copy(ByteBuffer bytes, int at, int length, int end) {
    if (length > memory.length - used) {
      memory = Arrays.copyOf(memory, Math.max(Math.addExact(used, length), memory.length * 2));
    }
    bytes.get(at, memory, used, length);
    used += length;
    if (end == ends.length) {
      ends = Arrays.copyOf(ends, ends.length * 2);
    }
    ends[end] = used;
  }

  /** Bytes of the records held. */
  long bytes() {
    return used;
  }

  /** The records held, which from now on are the caller's. */
  HeldRecords take() {
    MemorySegment all = MemorySegment.ofArray(memory);
    DataRecord[] records = new DataRecord[count];
    long from = 0;
    for (int i = 0; i < count; i++) {
      int keyEnd = ends[2 * i];
      int valueEnd = ends[2 * i + 1];
      MemorySegment key = all.asSlice(from, keyEnd - from);
      records[i] = new DataRecord(key, all.asSlice(keyEnd, valueEnd - keyEnd));
      from = valueEnd;
    }
    memory = new byte[memory.length];
    used = 0;
    count = 0;
    return new HeldRecords(records);
  }
}
