package dev.tandem.data.share;

import static dev.tandem.data.share.SharedWords.read;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** Takes samples from the ring for one consumer. For one thread. */
final class RingReader {

  /** What became of a sample that a consumer wanted. */
  enum Outcome {
    COPIED,
    /** It is not there, and nobody is going to make it. */
    MISSING,
    /** It was there. */
    OVERWRITTEN
  }

  private static final long STRIKE_OFF_NANOS = 150_000_000;
  private static final long NONE = -1;

  private final SampleRing ring;
  private final Consumer own;
  private final ShareArea area;
  private final MemorySegment memory;
  private final Geometry geometry;

  /** Those who had come when it was plain that nobody makes what belongs to some part. */
  private int givenUpAt = -1;

  RingReader(SampleRing ring, Consumer own) {
    this.ring = ring;
    this.own = own;
    area = ring.area();
    memory = area.memory();
    geometry = area.geometry();
  }

  /**
   * Waits until a chunk is made or it is plain that nobody makes it.
   *
   * @return the word of its state, or negative if it is not there
   */
  private long await(long chunk) {
    long at = area.state(chunk);
    long began = 0;
    long looked = 0;
    while (!ring.closed()) {
      int before = ring.made();
      long word = read(memory, at);
      long there = ChunkWord.chunk(word);
      if (there == chunk && ChunkWord.made(word)) {
        return word;
      }
      if (there > chunk || own.is(Consumer.BEHIND) || (there < chunk && givenUp(chunk))) {
        return NONE;
      }
      if (leavesSlowerBehind() || (began == 0 && there < chunk)) {
        ring.wentOn(); // there may be room that makers were not woken for
      }
      long now = System.nanoTime();
      began = began == 0 ? now : began;
      looked = looked == 0 ? now : looked;
      if (now - looked > STRIKE_OFF_NANOS) {
        looked = now;
        area.participants().strikeOff();
        if (hopeless(chunk, word, now - began)) {
          return NONE;
        }
        ring.wentOn(); // whoever was struck off may have held others up
      }
      ring.awaitMakers(before);
    }
    return NONE;
  }

  /**
   * Lets what slower consumers need be overwritten, if a faster one waits because that fills the
   * memory.
   *
   * @return whether there were any
   */
  private boolean leavesSlowerBehind() {
    long base = ring.options().together() || ring.gathering() ? NONE : ring.base();
    if (base < 0 || ring.head() < base + geometry.chunks()) {
      return false;
    }
    return ring.leaveBehind(own, base, other -> Pace.slower(other.rate(), own.rate()));
  }

  /** Whether its maker was lost before, and nobody has come since. */
  private boolean givenUp(long chunk) {
    Participants all = area.participants();
    return givenUpAt == all.arrivals() && !all.anyoneMakes(chunk);
  }

  /** Whether a chunk is not going to be made. */
  private boolean hopeless(long chunk, long word, long nanos) {
    double patience = ring.options().patience() * 1e9;
    if (ChunkWord.chunk(word) == chunk) {
      // Its maker was killed, or stands still.
      return !area.participants().signerAlive(ChunkWord.maker(word)) || nanos > 5 * patience;
    }
    if (nanos < patience || ring.gathering()) {
      return false;
    }
    int arrivals = area.participants().arrivals();
    if (!area.participants().anyoneMakes(chunk)) {
      givenUpAt = arrivals;
      return true;
    }
    long base = ring.base();
    if (base >= 0 && chunk >= base + geometry.chunks()) {
      if (!ring.options().together()) {
        // It holds this one up: from now on it does without what is overwritten.
        var _ = ring.leaveBehind(own, base, _ -> true);
      }
      return false;
    }
    // It was passed over, or its maker stands still.
    return chunk < ring.head() || nanos > 5 * patience;
  }

  /** Copies a sample, waiting for it. */
  Outcome copy(long sequence, MemorySegment inputs, MemorySegment targets, int place) {
    long chunk = sequence / geometry.chunk();
    int index = (int) (sequence % geometry.chunk());
    long word = await(chunk);
    if (word < 0) {
      return ChunkWord.chunk(read(memory, area.state(chunk))) > chunk || own.is(Consumer.BEHIND)
          ? Outcome.OVERWRITTEN
          : Outcome.MISSING;
    }
    if ((read(memory, area.state(chunk) + SampleRing.PRESENT) >>> index & 1) == 0) {
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
}
