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

  /** What became of a sample that a consumer wanted. */
  enum Outcome {
    COPIED,
    /** It is not there, and nobody is going to make it. */
    MISSING,
    /** It was there. */
    OVERWRITTEN
  }

  /** A wait is as long as this at most, then all is looked at again. */
  private static final long LOOK_NANOS = 50_000_000;

  private static final long STRIKE_OFF_NANOS = 150_000_000;
  private static final long GATHERING_NANOS = 20_000_000_000L;

  private static final int CLAIMED = 1;
  private static final int MADE = 2;
  private static final int PHASE_SHIFT = 16;
  private static final int CHUNK_SHIFT = 24;
  private static final int PRESENT = 8;
  private static final long NONE = -1;

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

  /** The oldest chunk that an active consumer needs; negative if there is none. */
  private long base() {
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

  /** Samples that are made, or being made, and lie before a consumer. */
  long queue(Consumer consumer) {
    return consumer.queue();
  }

  private boolean gathering() {
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
        if (chunkOf(before) < chunk
            && !(phase(before) == CLAIMED && area.signerAlive(owner(before)))
            && replace(memory, at, before, word(chunk, CLAIMED))) {
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
    write(memory, area.state(chunk), word(chunk, MADE));
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

  /** A consumer has gone on. */
  void wentOn() {
    wake(consumed, ShareArea.CONSUMED_AT);
  }

  private void wake(MemorySegment word, long at) {
    var _ = SharedWords.addInt(memory, at, 1);
    futex.wakeAll(word);
  }

  /**
   * Waits until a chunk is made or it is plain that nobody makes it.
   *
   * @return the word of its state, or negative if it is not there
   */
  private long await(long chunk, Consumer own) {
    long at = area.state(chunk);
    long began = 0;
    long looked = 0;
    while (!closed) {
      int before = readInt(memory, ShareArea.PRODUCED_AT);
      long word = read(memory, at);
      long there = chunkOf(word);
      if (there == chunk && phase(word) == MADE) {
        return word;
      }
      if (there > chunk || own.is(Consumer.BEHIND)) {
        return NONE;
      }
      if (leavesSlowerBehind(own)) {
        wentOn();
      }
      long now = System.nanoTime();
      began = began == 0 ? now : began;
      looked = looked == 0 ? now : looked;
      if (now - looked > STRIKE_OFF_NANOS) {
        looked = now;
        area.strikeOff();
        if (hopeless(chunk, word, now - began, own)) {
          return NONE;
        }
        wentOn(); // whoever was struck off may have held others up
      }
      futex.await(produced, before, LOOK_NANOS);
    }
    return NONE;
  }

  /**
   * Lets what slower consumers need be overwritten, if a faster one waits because that fills the
   * memory.
   *
   * @return whether there were any
   */
  private boolean leavesSlowerBehind(Consumer own) {
    long base = options.together() || gathering() ? NONE : base();
    if (base < 0 || head() < base + geometry.chunks()) {
      return false;
    }
    boolean any = false;
    for (Consumer consumer : consumers) {
      if (consumer.row() != own.row()
          && consumer.is(Consumer.ACTIVE)
          && consumer.cursor() / geometry.chunk() <= base
          && Pace.slower(consumer.rate(), own.rate())) {
        consumer.become(Consumer.ACTIVE, Consumer.BEHIND);
        any = true;
      }
    }
    return any;
  }

  /** Whether a chunk is not going to be made. */
  private boolean hopeless(long chunk, long word, long nanos, Consumer own) {
    if (chunkOf(word) == chunk) {
      // Its maker was killed, or stands still.
      return !area.signerAlive(owner(word)) || nanos > 5 * options.patience() * 1e9;
    }
    if (nanos < options.patience() * 1e9 || gathering()) {
      return false;
    }
    if (area.threads() == 0) {
      return true;
    }
    long base = base();
    if (base >= 0 && chunk >= base + geometry.chunks()) {
      if (!options.together()) {
        // It holds this one up: from now on it does without what is overwritten.
        for (Consumer consumer : consumers) {
          if (consumer.row() != own.row() && consumer.cursor() / geometry.chunk() <= base) {
            consumer.become(Consumer.ACTIVE, Consumer.BEHIND);
          }
        }
      }
      return false;
    }
    // It was passed over, or its part has no maker.
    return chunk < head() || options.parts() > 1 || nanos > 5 * options.patience() * 1e9;
  }

  /** Copies a sample, waiting for it. */
  Outcome copy(
      long sequence, Consumer own, MemorySegment inputs, MemorySegment targets, int place) {
    long chunk = sequence / geometry.chunk();
    int index = (int) (sequence % geometry.chunk());
    long word = await(chunk, own);
    if (word < 0) {
      return chunkOf(read(memory, area.state(chunk))) > chunk || own.is(Consumer.BEHIND)
          ? Outcome.OVERWRITTEN
          : Outcome.MISSING;
    }
    if ((read(memory, area.state(chunk) + PRESENT) >>> index & 1) == 0) {
      return read(memory, area.state(chunk)) == word ? Outcome.MISSING : Outcome.OVERWRITTEN;
    }
    long input = geometry.inputBytes();
    long target = geometry.targetBytes();
    MemorySegment.copy(memory, area.payload(chunk) + index * input, inputs, place * input, input);
    MemorySegment.copy(
        memory,
        area.payload(chunk) + geometry.chunk() * input + index * target,
        targets,
        place * target,
        target);
    VarHandle.acquireFence();
    // What was copied is good if nobody has begun to overwrite it.
    return read(memory, area.state(chunk)) == word ? Outcome.COPIED : Outcome.OVERWRITTEN;
  }

  /** Whether a sample could be taken, or still come. */
  boolean ahead(long sequence) {
    long chunk = sequence / geometry.chunk();
    return chunkOf(read(memory, area.state(chunk))) <= chunk;
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

  private long word(long chunk, int phase) {
    return (chunk + 1) << CHUNK_SHIFT | (long) phase << PHASE_SHIFT | area.signature();
  }

  /** -1 before the first. */
  private static long chunkOf(long word) {
    return (word >>> CHUNK_SHIFT) - 1;
  }

  private static int phase(long word) {
    return (int) (word >>> PHASE_SHIFT) & 0xFF;
  }

  private static int owner(long word) {
    return (int) word & 0xFFFF;
  }
}
