package dev.tandem.comm.transport;

import java.lang.foreign.MemorySegment;

/**
 * Where everything lies in the memory through which the ranks of a host send messages: two signals
 * per rank, then a ring for every rank and every other that it sends to.
 *
 * <p>A ring has a line for each fragment on its way and a store for the bytes of those that do not
 * fit into their line. {@code Note [lines and store]}: a line bears the number of its fragment,
 * which no earlier use of it has borne, so the receiver sees by one look at one cache line that a
 * fragment is there, and has a small message with it. Bytes in the store need no mark: they are
 * written before their line.
 *
 * @param lines how many fragments may be on their way
 * @param storeBytes how many bytes
 */
record RingLayout(int members, int lines, long storeBytes) {

  static final long LINE_BYTES = 64;

  // The receiver's progress: fragments and bytes of the store that are free again.
  static final long FREED_FRAGMENTS = 0;
  static final long FREED_BYTES = Long.BYTES;
  // Apart from it, set by a sender who waits for room.
  static final long JAMMED = LINE_BYTES;
  static final long FIRST_LINE = 2 * LINE_BYTES;

  // In a line.
  static final long STAMP = 0;
  static final long CHANNEL = Integer.BYTES;
  static final long MESSAGE_BYTES = 2 * Integer.BYTES;
  static final long FRAGMENT_BYTES = 2 * Integer.BYTES + Long.BYTES;
  static final long INLINE = 3 * Long.BYTES;

  /** This many bytes of a fragment fit into its line. */
  static final long MOST_INLINE = LINE_BYTES - INLINE;

  /** What all rings of a host may take together, if that leaves each a useful size. */
  private static final long BUDGET_BYTES = 32 << 20;

  private static final long MOST_STORE = 256 << 10;
  private static final long LEAST_STORE = 16 << 10;
  private static final int LEAST_LINES = 64;
  private static final long BYTES_PER_LINE = 1 << 10;

  /** Fragments are short against the store, so that one is written while others are read. */
  private static final int FRAGMENTS_PER_STORE = 8;

  private static final int SIGNALS_PER_RANK = 2;
  private static final long PAGE = 4096;

  /** The layout for this many ranks on a host, at least two. */
  static RingLayout of(int members) {
    long share = BUDGET_BYTES / ((long) members * (members - 1));
    long store = Math.clamp(Long.highestOneBit(share), LEAST_STORE, MOST_STORE);
    return new RingLayout(members, (int) Math.max(LEAST_LINES, store / BYTES_PER_LINE), store);
  }

  long bytes() {
    return signalBytes() + (long) members * (members - 1) * ringBytes();
  }

  /** A fragment has at most this many bytes. */
  long mostFragment() {
    return storeBytes / FRAGMENTS_PER_STORE;
  }

  long store() {
    return FIRST_LINE + lines * LINE_BYTES;
  }

  private long ringBytes() {
    return store() + storeBytes;
  }

  private long signalBytes() {
    return ((long) members * SIGNALS_PER_RANK * LINE_BYTES + PAGE - 1) / PAGE * PAGE;
  }

  /** Wakes the calls of a member. */
  MemorySegment signal(MemorySegment memory, int member) {
    return memory.asSlice((long) member * SIGNALS_PER_RANK * LINE_BYTES, LINE_BYTES);
  }

  /** Wakes the thread that reads what no call of a member waits for. */
  MemorySegment keeperSignal(MemorySegment memory, int member) {
    return memory.asSlice(((long) member * SIGNALS_PER_RANK + 1) * LINE_BYTES, LINE_BYTES);
  }

  /** The ring from one member to another. */
  MemorySegment ring(MemorySegment memory, int from, int to) {
    long number = (long) from * (members - 1) + (to < from ? to : to - 1);
    return memory.asSlice(signalBytes() + number * ringBytes(), ringBytes());
  }

  /** Bytes in the store begin with a cache line of their own. */
  static long aligned(long bytes) {
    return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
  }
}
