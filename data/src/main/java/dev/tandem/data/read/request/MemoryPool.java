package dev.tandem.data.read.request;

import dev.tandem.posix.HugeMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/** Aligned memory for direct reads, kept because getting it takes longer than using it. */
public final class MemoryPool {

  private static final int MOST_KEPT = 8;
  private static final int UNIT = 1 << 20;

  private final Deque<ByteBuffer> kept = new ArrayDeque<>();

  /** Little-endian memory of at least this many bytes. */
  public synchronized ByteBuffer take(int bytes) {
    // By iterator: buffers are equal when their bytes are, which takes long to find out.
    for (Iterator<ByteBuffer> candidates = kept.iterator(); candidates.hasNext(); ) {
      ByteBuffer candidate = candidates.next();
      if (candidate.capacity() >= bytes) {
        candidates.remove();
        return candidate;
      }
    }
    // All that is kept is too small: it will not be asked for again.
    kept.poll();
    int size = Math.addExact(bytes, UNIT - 1) & -UNIT;
    return HugeMemory.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }

  public synchronized void giveBack(ByteBuffer memory) {
    if (kept.size() < MOST_KEPT) {
      kept.add(memory);
    }
  }
}
