package dev.tandem.data.read.request;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The requests that fill one slot. Made by one thread, then worked off by several: each takes the
 * next request that is not taken.
 */
public class ReadRound {

  private final ByteBuffer memory;
  private MemorySegment segment;
  private long[] positions = new long[16];
  private int[] places = new int[16];
  private int[] lengths = new int[16];
  private int count;
  private final AtomicInteger taken = new AtomicInteger();
  private final AtomicInteger done = new AtomicInteger();

  /** The round that was submitted after this one; guarded by the threads' monitor. */
  public ReadRound following;

  public ReadRound(ByteBuffer memory) {
    this.memory = memory;
  }

  /** Called by the thread that does the last request. */
  public void complete() {}

  /** Asks for all windows, in requests of at most {@code block} bytes. */
  public void request(Windows windows, int block) {
    for (int i = 0; i < windows.count(); i++) {
      int length = windows.length(i);
      for (int from = 0; from < length; from += block) {
        request(
            windows.windowStart(i) + from, windows.place(i) + from, Math.min(block, length - from));
      }
    }
  }

  /** Asks for these bytes of the file, to be put there in memory. */
  public void request(long position, int place, int length) {
    if (count == positions.length) {
      positions = Arrays.copyOf(positions, count * 2);
      places = Arrays.copyOf(places, count * 2);
      lengths = Arrays.copyOf(lengths, count * 2);
    }
    positions[count] = position;
    places[count] = place;
    lengths[count++] = length;
  }

  public int count() {
    return count;
  }

  /** The number of a request for the calling thread to do, or -1 if all are taken. */
  public int take() {
    int next = taken.getAndIncrement();
    return next < count ? next : -1;
  }

  /** The memory that all requests go to. */
  public MemorySegment segment() {
    if (segment == null) {
      segment = MemorySegment.ofBuffer(memory.duplicate().clear());
    }
    return segment;
  }

  /** Where in memory the bytes of a request go. */
  public int place(int request) {
    return places[request];
  }

  public long position(int request) {
    return positions[request];
  }

  public int length(int request) {
    return lengths[request];
  }

  /** The bytes of memory where those of a request go. */
  public ByteBuffer target(int request) {
    int place = places[request];
    return memory.duplicate().limit(place + lengths[request]).position(place);
  }

  /** A request is done; with the last one the round is. */
  public void finished() {
    if (done.incrementAndGet() == count) {
      complete();
    }
  }

  /** A round without requests is done at once. */
  public void finishedIfEmpty() {
    if (count == 0) {
      complete();
    }
  }
}
