package dev.tandem.data.share;

import static dev.tandem.data.share.SharedWords.read;
import static dev.tandem.data.share.SharedWords.readInt;
import static dev.tandem.data.share.SharedWords.replace;
import static dev.tandem.data.share.SharedWords.write;

import dev.tandem.data.order.SampleOrder;
import dev.tandem.posix.Futex;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A ring of chunks of the sequence in memory that processes share. Thread-safe.
 *
 * <p>{@code Note [who may overwrite a chunk]}: a word for each place of the ring says which chunk
 * is there, who makes it and whether it is made. A thread claims a chunk by replacing the word of
 * an older chunk that no active consumer needs, so a chunk has one maker, and nothing is claimed of
 * a maker that was killed in between. A sample is a function of its place in the sequence alone:
 * whatever is missing, because its maker was killed or because a consumer came too late, that
 * consumer prepares for itself. So nothing that processes do to one another can lose or repeat a
 * sample; it can only be prepared twice.
 */
final class SampleRing {

  /** A wait is as long as this at most, then all is looked at again. */
  private static final long LOOK_NANOS = 50_000_000;

  /** Makers that wait are woken when this part of the ring may be overwritten. */
  private static final int ROOM = 8;

  private static final long GATHERING_NANOS = 20_000_000_000L;

  /** Which samples of a chunk are there, after the word of its state. */
  static final int PRESENT = 8;

  static final long NONE = -1;

  private final ShareArea area;
  private final MemorySegment memory;
  private final Geometry geometry;
  private final SampleOrder order;
  private final ShareOptions options;
  private final Futex futex;
  private final MemorySegment produced;
  private final MemorySegment consumed;
  private final Consumer[] consumers = new Consumer[ShareArea.CONSUMERS];
  private volatile boolean closed;

  SampleRing(ShareArea area, SampleOrder order, ShareOptions options) {
    this.area = area;
    this.memory = area.memory();
    this.geometry = area.geometry();
    this.order = order;
    this.options = options;
    futex = Futex.capability().orElseThrow();
    produced = memory.asSlice(ShareArea.PRODUCED_AT, Integer.BYTES);
    consumed = memory.asSlice(ShareArea.CONSUMED_AT, Integer.BYTES);
    for (int i = 0; i < consumers.length; i++) {
      consumers[i] = new Consumer(area, ShareArea.consumer(i));
    }
  }

  Geometry geometry() {
    return geometry;
  }

  ShareArea area() {
    return area;
  }

  ShareOptions options() {
    return options;
  }

  /** All that take part. */
  List<Consumer> present() {
    List<Consumer> found = new ArrayList<>();
    for (Consumer consumer : consumers) {
      if (Consumer.takesPart(consumer.state())) {
        found.add(consumer);
      }
    }
    return found;
  }

  /**
   * Lets what other consumers need be overwritten, if they hold up all from the oldest chunk on.
   */
  boolean leaveBehind(Consumer own, long base, Predicate<Consumer> which) {
    boolean any = false;
    for (Consumer consumer : consumers) {
      if (consumer.row() != own.row()
          && consumer.is(Consumer.ACTIVE)
          && consumer.cursor() / geometry.chunk() <= base
          && which.test(consumer)) {
        consumer.become(Consumer.ACTIVE, Consumer.BEHIND);
        any = true;
      }
    }
    return any;
  }

  /** The oldest chunk that an active consumer needs; negative if there is none. */
  long base() {
    return base(NONE);
  }

  private long base(long exceptRow) {
    long least = Long.MAX_VALUE;
    for (Consumer consumer : consumers) {
      if (consumer.row() != exceptRow && consumer.is(Consumer.ACTIVE)) {
        least = Math.min(least, consumer.cursor());
      }
    }
    return least == Long.MAX_VALUE ? NONE : least / geometry.chunk();
  }

  /**
   * The first place in the sequence from which on all is to be had, for a consumer or a new one.
   */
  long rejoin(Optional<Consumer> own) {
    long base = base(own.map(Consumer::row).orElse(NONE));
    return (base < 0 ? head() : base) * geometry.chunk();
  }

  /** The chunk after the last that was claimed. */
  long head() {
    return read(memory, ShareArea.HEAD_AT);
  }

  /** Whether consumers that are expected may still come. */
  boolean gathering() {
    return readInt(memory, ShareArea.JOINED_AT) < options.consumers()
        && System.nanoTime() - read(memory, ShareArea.BEGAN_AT) < GATHERING_NANOS;
  }

  // For makers.

  /** Claims the next chunk; negative if nothing is wanted now. */
  long claim() {
    long base = gathering() ? NONE : base();
    if (base < 0) {
      return NONE;
    }
    boolean any = options.parts() == 1;
    long from = any ? Math.max(base, head()) : base;
    long limit = Math.min(base + geometry.chunks(), end());
    for (long chunk = from; chunk < limit; chunk++) {
      if (any || chunk % options.parts() == options.part()) {
        long at = area.state(chunk);
        long before = read(memory, at);
        if (ChunkWord.chunk(before) < chunk
            && !(ChunkWord.claimed(before)
                && area.participants().signerAlive(ChunkWord.maker(before)))
            && replace(
                memory, at, before, ChunkWord.claim(chunk, area.participants().signature()))) {
          SharedWords.raise(memory, ShareArea.HEAD_AT, chunk + 1);
          return chunk;
        }
      }
    }
    return NONE;
  }

  /** The chunk that no consumer needs, nor any after it. */
  private long end() {
    long end = 0;
    for (Consumer consumer : present()) {
      end = Math.max(end, Math.ceilDiv(consumer.end(), (long) geometry.chunk()));
    }
    return end;
  }

  /** Which samples of a chunk any consumer is going to take. */
  long wanted(long chunk, RecordChunks records) {
    int count = geometry.chunk();
    long all = count == Long.SIZE ? -1L : (1L << count) - 1;
    List<Consumer> present = present();
    long wanted = 0;
    for (Consumer consumer : present) {
      int every = consumer.every();
      long cursor = consumer.cursor();
      long end = consumer.end();
      for (int i = 0; i < count && wanted != all; i++) {
        long sequence = chunk * count + i;
        if (sequence >= cursor
            && sequence < end
            && (every <= 1
                || TakenSamples.takes(records.ordinal(sequence), order.epochOf(sequence), every))) {
          wanted |= 1L << i;
        }
      }
    }
    return wanted;
  }

  /** Memory of a chunk that was claimed. */
  MemorySegment inputs(long chunk) {
    return memory.asSlice(area.payload(chunk), geometry.inputBytes() * geometry.chunk());
  }

  MemorySegment targets(long chunk) {
    return memory.asSlice(
        area.payload(chunk) + geometry.inputBytes() * geometry.chunk(),
        geometry.targetBytes() * geometry.chunk());
  }

  /** A chunk that was claimed is made. */
  void publish(long chunk, long present) {
    write(memory, area.state(chunk) + PRESENT, present);
    write(memory, area.state(chunk), ChunkWord.made(chunk, area.participants().signature()));
    wake(produced, ShareArea.PRODUCED_AT);
  }

  /** A number that changes whenever a consumer has gone on. */
  int progress() {
    return readInt(memory, ShareArea.CONSUMED_AT);
  }

  /** Waits until consumers have gone on since then, or for a moment. */
  void awaitConsumers(int before) {
    if (!closed) {
      futex.await(consumed, before, LOOK_NANOS);
    }
  }

  // For consumers.

  /** A consumer came, went, or waits: makers look at all again. */
  void wentOn() {
    wake(consumed, ShareArea.CONSUMED_AT);
  }

  /** A consumer has gone on to another chunk: makers are woken once there is room for several. */
  void madeRoom() {
    VarHandle.fullFence(); // of two that go on at once, one sees both
    long base = base();
    if (base < 0 || base + geometry.chunks() - head() >= Math.max(1, geometry.chunks() / ROOM)) {
      wentOn();
    }
  }

  private void wake(MemorySegment word, long at) {
    var _ = SharedWords.addInt(memory, at, 1);
    futex.wakeAll(word);
  }

  /** A number that changes whenever a chunk is made. */
  int made() {
    return readInt(memory, ShareArea.PRODUCED_AT);
  }

  /** Waits until chunks are made since then, or for a moment. */
  void awaitMakers(int before) {
    futex.await(produced, before, LOOK_NANOS);
  }

  /** Whether a sample could be taken, or still come. */
  boolean ahead(long sequence) {
    long chunk = sequence / geometry.chunk();
    return ChunkWord.chunk(read(memory, area.state(chunk))) <= chunk;
  }

  /** Ends all waits of this process. */
  void close() {
    closed = true;
    wake(produced, ShareArea.PRODUCED_AT);
    wake(consumed, ShareArea.CONSUMED_AT);
  }

  boolean closed() {
    return closed;
  }
}
